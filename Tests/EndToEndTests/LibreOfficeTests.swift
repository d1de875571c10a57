import MountSupport
import SystemPackage
import Testing

/// LibreOffice holds its document open all day, and opens it once more just before it renames.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct LibreOfficeTests {
    /// Drives a LibreOffice of its own by its programming interface, while the document stays open in it: what it saves must
    /// come to the other device; then that one saves "theirs", and LibreOffice saves again.
    private static let script = """
        import os, signal, subprocess, sys, time
        import uno
        from com.sun.star.beans import PropertyValue
        from com.sun.star.connection import NoConnectException

        here, there, profile, kind = sys.argv[1:]

        def wait(condition):
            deadline = time.monotonic() + 120
            while True:
                try:
                    found = condition()
                    if found: return found
                except (OSError, NoConnectException): pass
                if time.monotonic() > deadline:
                    for path in here, there: subprocess.run(["cat", path + ".state"], stdout=sys.stderr)
                    sys.exit("never " + condition.__name__)
                time.sleep(0.05)

        def sockets(group):
            # LibreOffice makes them in /tmp, whatever TMPDIR says, and a killed one leaves them there.
            held = set()
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if os.getpgid(int(pid)) != group: continue
                    held.update(os.readlink("/proc/%s/fd/%s" % (pid, fd)) for fd in os.listdir("/proc/%s/fd" % pid))
                except OSError: pass
            with open("/proc/net/unix") as file: rows = [line.split() for line in file][1:]
            return {row[7] for row in rows if len(row) > 7 and row[7][0] == "/" and "socket:[%s]" % row[6] in held}

        def content(path):
            with open(path, "rb") as file: return file.read()

        def state(path, *lines):
            with open(path + ".state") as file: return not set(lines).isdisjoint(file.read().split("\\n"))

        def properties(**values):
            made = []
            for name, value in values.items():
                made.append(PropertyValue())
                made[-1].Name, made[-1].Value = name, value
            return tuple(made)

        # So that `timeout` does not leave LibreOffice behind.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        pipe = "docfs-%d" % os.getpid()
        def start():
            # A killed one leaves it, and another would ask about it.
            if os.path.exists(profile + "/.lock"): os.unlink(profile + "/.lock")
            return subprocess.Popen(
                ["soffice", "--headless", "--norestore", "--nologo", "-env:UserInstallation=file://" + profile,
                 "--accept=pipe,name=%s;urp;" % pipe],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                env=dict(os.environ, TMPDIR=os.path.dirname(profile)))
        def end(office):
            left = sockets(office.pid)
            try: os.killpg(office.pid, signal.SIGKILL)
            except ProcessLookupError: pass
            office.wait()
            for path in left: os.unlink(path)

        office = start()
        tried = [time.monotonic()]
        try:
            resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
            def answers():
                # The first start on a machine may end by itself, or never answer.
                global office
                if office.poll() is not None or time.monotonic() > tried[-1] + 40:
                    end(office)
                    office = start()
                    tried.append(time.monotonic())
                return resolver.resolve("uno:pipe,name=%s;urp;StarOffice.ComponentContext" % pipe)
            context = wait(answers)
            desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
            document = desktop.loadComponentFromURL("private:factory/swriter", "_blank", 0, properties(Hidden=True))
            def arrived(): return content(there) == content(here) != b""

            document.Text.setString("one")
            document.storeAsURL("file://" + here, properties(FilterName=kind))
            wait(arrived)
            for text in "two", "three":
                before = content(here)
                document.Text.setString(text)
                document.store()
                assert content(here) != before
                wait(arrived)
            ours = content(here)

            with open(there, "w") as file: file.write("theirs")
            def sent(): return state(there, "uploading: uploaded") and content(there) == b"theirs"
            wait(sent)
            def overtaken(): return state(here, "downloading: outdated", "downloading: notDownloaded")
            wait(overtaken)
            document.Text.setString("four")
            document.store()
            def in_conflict(): return state(here, "conflicts: 1") and state(there, "conflicts: 1")
            wait(in_conflict)

            document.Text.setString("five")
            document.store()
            wait(arrived)
            assert content(here) not in (b"theirs", ours)
            document.close(True)
        finally:
            end(office)
        # Left in the ordinary way, python may crash: what it knows of is gone.
        os._exit(0)
        """

    @Test(arguments: [("Plan.txt", "Text"), ("Plan.odt", "writer8")])
    func `a save by LibreOffice is sent while it has the document open, and overwrites nothing unseen`(
        name: String, kind: String
    ) async throws {
        try await withTwoDevices { laptop, desktop in
            let profile = laptop.folder / "profile"
            let result = try await runProgram(
                "timeout",
                [
                    "-k", "5", "240", "/usr/bin/python3", "-c", Self.script, (laptop.cloud / name).string,
                    (desktop.cloud / name).string, profile.string, kind,
                ])
            #expect(result.exitStatus == 0, "\(result.standardError)")
            for device in [laptop, desktop] {
                let document = device.cloud / name
                // Its later saves follow its own, and leave the one conflict as it is.
                #expect(try document.state()["conflicts"] == "1")
                let conflicts = device.cloud / (name + ".conflicts")
                #expect(try conflicts.listing().map { try (conflicts / $0).text() } == ["theirs"])
            }
        }
    }
}
