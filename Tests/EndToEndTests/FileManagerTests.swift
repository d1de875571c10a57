import Foundation
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// The parts of docfs in file managers (scripts/packaging/file-managers), on real mounts.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct FileManagerTests {
    private static let folder = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent().pushing("scripts/packaging/file-managers")

    /// Runs a program in Python that may import them. Debian's Python has the libraries of GNOME.
    private func python(
        _ script: String, _ arguments: [String] = [], in folder: FilePath, environment: [String: String] = [:]
    ) async throws -> [String] {
        let all = environment.merging(["PYTHONPATH": Self.folder.string, "PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        let result = try await runProgram(
            "/usr/bin/python3", ["-c", script] + arguments, in: folder, environment: all)
        #expect(result.exitStatus == 0, "\(result.standardError)")
        return result.lines
    }

    /// The emblems of each path, and what the menu of each offers.
    private func shown(_ paths: [String], on device: Device) async throws -> [String] {
        try await python(
            """
            import sys
            from docfs_documents import Document, actions
            for path in sys.argv[1:]:
                document = Document.read(path)
                print(" ".join(document.emblems if document else []), "|", *(each.name for each in actions([path])))
            """, paths, in: device.documents)
    }

    @Test func `emblems and menus tell where a document is`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (desktop.local / "Diary.txt").create("today")
            try (laptop.cloud / "Work").makeFolder()
            for name in ["Elsewhere", "Here", "Kept", "Plan", "Work/Paper"] {
                try (laptop.cloud / "\(name).txt").create(name)
            }
            try await eventually { try (desktop.cloud / "Work/Paper.txt").state()["uploading"] == "uploaded" }
            for name in ["Here", "Plan"] {
                #expect(try (desktop.cloud / "\(name).txt").text() == name)
                try await desktop.waitUntilHere(desktop.cloud / "\(name).txt")
            }
            try (desktop.cloud / "Kept.txt").setAttribute("user.document.keep", "always")
            try await desktop.waitUntilHere(desktop.cloud / "Kept.txt")
            let paths = [
                "cloud/Elsewhere.txt", "cloud/Here.txt", "cloud/Kept.txt", "cloud/Plan.txt", "cloud/Work",
                "local/Diary.txt", "local", "/etc/passwd",
            ]
            var lines = [
                "docfs-cloud | keep versions", " | keep free versions", "docfs-kept | release free versions",
                " | keep free versions", " | keep free", " |", " |", " |",
            ]
            #expect(try await shown(paths, on: desktop) == lines)

            try laptop.cloudDirectory.disconnect()
            for device in [laptop, desktop] { try (device.cloud / "Plan.txt").append(" of \(device.documents)") }
            lines[3] = "docfs-sending | keep free versions"
            #expect(try await shown(paths, on: desktop) == lines)
            try laptop.cloudDirectory.reconnect()
            for device in [laptop, desktop] {
                try await eventually { try (device.cloud / "Plan.txt").state()["conflicts"] == "1" }
            }
            #expect(try await shown(["cloud/Plan.txt"], on: desktop)[0].hasPrefix("docfs-conflict"))
        }
    }

    @Test func `menu entries keep, free and open versions, and say why something is not done`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await withTemporaryFolder { path in
                for program in ["notify-send", "xdg-open"] {
                    try (FilePath(path) / program).create(
                        "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\(path)/\(program).told\n")
                    try await runShell("chmod +x \(program)", in: FilePath(path))
                }
                let environment = ["PATH": "\(path):\(String(cString: getenv("PATH")))"]
                func perform(_ arguments: String..., exitStatus: Int32 = 0) async throws {
                    let program = (Self.folder / "docfs_documents.py").string
                    let result = try await runProgram(
                        "/usr/bin/python3", [program] + arguments, in: desktop.cloud, environment: environment)
                    #expect(result.exitStatus == exitStatus, "\(arguments): \(result.standardError)")
                }
                try (laptop.cloud / "Work").makeFolder()
                for name in ["Work/A.txt", "Work/B.txt"] { try (laptop.cloud / name).create("text") }
                let (first, second) = (desktop.cloud / "Work/A.txt", desktop.cloud / "Work/B.txt")
                try await eventually { second.exists }

                try await perform("keep", "Work")
                for document in [first, second] { try await desktop.waitUntilHere(document) }
                for entry in ["keep", "free"] { try await perform(entry, "../local", exitStatus: 1) }
                #expect(throws: Errno.noData) { try desktop.local.attribute("user.document.keep") }
                try await perform("release", "Work/A.txt", exitStatus: 1)
                try await perform("free", "Work/A.txt", exitStatus: 1)
                try await perform("release", "Work")
                try await perform("free", "Work")
                for document in [first, second] { #expect(try document.state()["downloading"] == "notDownloaded") }

                try await perform("versions", "Work/A.txt", exitStatus: 1)
                try first.append(", more")
                try await eventually { try (FilePath("\(first).versions")).listing().count == 1 }
                try await perform("versions", "Work/A.txt")
                #expect(try (FilePath(path) / "xdg-open.told").text() == "Work/A.txt.versions\n")
                let told = try (FilePath(path) / "notify-send.told").text()
                #expect(
                    told.split(separator: "\n").map { String($0.dropFirst("--app-name=docfs -- docfs ".count)) } == [
                        "local: it is no document in the cloud", "local: it is no document in the cloud",
                        "A.txt: it is kept with its folder", "A.txt: it is kept here; `docfs keep --off` ends that",
                        "A.txt: there is no earlier version of it",
                    ])
            }
        }
    }

    /// The classes of Nautilus and Nemo exist inside of them only, so the file manager here is one of this test.
    @Test func `an extension shows emblems, and again when they have changed`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Photo.txt").create("light")
            try await eventually { (desktop.cloud / "Photo.txt").exists }
            try await withTemporaryFolder { cache in
                let lines = try await python(
                    Self.fileManager, ["cloud/Photo.txt"], in: desktop.documents,
                    environment: ["XDG_CACHE_HOME": cache])
                #expect(
                    lines == [
                        "['docfs-cloud'] ['Keep on This Computer', 'Earlier Versions']", "failed thumbnails: 1",
                        "[] ['Keep on This Computer', 'Free Up Space', 'Earlier Versions']", "failed thumbnails: 0",
                        "['docfs-kept']",
                    ])
            }
        }
    }

    /// The modules that the file managers load, with libraries that have nothing but the names.
    @Test(arguments: [("Nautilus", true), ("Nemo", true), ("Thunarx", false)])
    func `each file manager's module offers the entries`(library: String, showsEmblems: Bool) async throws {
        try await withDevice { device in
            try (device.cloud / "Plan.txt").create("plan")
            let lines = try await python(
                """
                import os, sys, types
                import gi.repository
                library = types.ModuleType(sys.argv[1])
                library.InfoProvider, library.MenuProvider = type("Info", (), {}), type("Menu", (), {})
                class Item:
                    def __init__(self, name, label, icon, tip="", tooltip=""): self.label = label
                    def connect(self, signal, act): assert signal == "activate" and callable(act)
                library.MenuItem = Item
                setattr(gi.repository, sys.argv[1], library)
                name = "docfs_" + sys.argv[1].lower().removesuffix("x")
                module = __import__(name)
                extension, = [each for each in vars(module).values()
                              if isinstance(each, type) and issubclass(each, library.MenuProvider)]
                class File:
                    def get_location(self): return self
                    def get_path(self): return os.path.abspath(sys.argv[2])
                for item in getattr(extension(), sys.argv[3])("window", [File()]): print(item.label)
                print(issubclass(extension, library.InfoProvider))
                """, [library, "cloud/Plan.txt", showsEmblems ? "get_file_items" : "get_file_menu_items"],
                in: device.documents)
            #expect(
                lines == [
                    "Keep on This Computer", "Free Up Space", "Earlier Versions", showsEmblems ? "True" : "False",
                ])
        }
    }

    private static let fileManager = """
        import glob, hashlib, os, sys, types, weakref
        from gi.repository import Gio, GLib
        import docfs_extension

        class File:
            def __init__(self, path): self.path, self.emblems = path, []
            def get_location(self): return self
            def get_path(self): return self.path
            def weak_ref(self): return weakref.ref(self)
            def is_gone(self): return False
            def add_emblem(self, name): self.emblems.append(name)
            def invalidate_extension_info(self): loop.quit()

        class Item:
            def __init__(self, name, label, tip, icon): self.name, self.label = name, label
            def connect(self, _, act): self.act = act

        library = types.SimpleNamespace(
            InfoProvider=type("InfoProvider", (), {}), MenuProvider=type("MenuProvider", (), {}), MenuItem=Item,
            OperationResult=types.SimpleNamespace(COMPLETE=0))
        extension = docfs_extension.extension(library, "DocfsTestedExtension")()
        file, loop = File(os.path.abspath(sys.argv[1])), GLib.MainLoop()
        notes = os.environ["XDG_CACHE_HOME"] + "/thumbnails/fail/maker/"
        os.makedirs(notes)
        uri = Gio.File.new_for_path(file.path).get_uri()
        open(notes + hashlib.md5(uri.encode()).hexdigest() + ".png", "w").close()

        def show():
            file.emblems = []
            extension.update_file_info(file)
            return file.emblems

        def changed():
            GLib.timeout_add_seconds(120, lambda: sys.exit("nothing was asked for anew"))
            loop.run()
            return show()

        for act in (lambda: open(file.path).read(), lambda: None):
            print(show(), [item.label for item in extension.get_file_items("window", [file])])
            print("failed thumbnails:", len(os.listdir(notes)))
            act()
            if os.listdir(notes): changed()
        extension.get_file_items([file])[0].act(None)
        print(changed())
        os._exit(0)
        """
}
