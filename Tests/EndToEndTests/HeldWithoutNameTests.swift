import MountSupport
import Testing

/// Open files and folders whose name was removed behave as on any file system.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct HeldWithoutNameTests {
    private static func expect(_ program: String, says line: String, listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let result = try await device.shell(
                "cd local && python3 -c \"$PROGRAM\"", environment: ["PROGRAM": program])
            #expect(result.line == line)
        }
    }

    @Test(arguments: Listing.allCases)
    func `a folder that was removed is empty, has no links, and takes nothing`(listing: Listing) async throws {
        try await Self.expect(
            """
            import os
            os.mkdir('gone'); folder = os.open('gone', os.O_RDONLY); os.rmdir('gone')
            print(os.fstat(folder).st_nlink, os.listdir(folder), end=' ')
            os.fchmod(folder, 0o700); os.fsync(folder)
            try: os.open('x', os.O_CREAT | os.O_WRONLY, dir_fd=folder)
            except FileNotFoundError: print('ENOENT')
            """, says: "0 [] ENOENT", listing: listing)
    }

    @Test(arguments: Listing.allCases)
    func `the attributes of a document that was deleted are there while it is open`(listing: Listing) async throws {
        try await Self.expect(
            """
            import os
            file = os.open('a.txt', os.O_RDWR | os.O_CREAT); os.setxattr('a.txt', 'user.colour', b'red')
            os.unlink('a.txt')
            os.setxattr(file, 'user.shape', b'round'); os.removexattr(file, 'user.colour')
            print(os.getxattr(file, 'user.shape').decode(), 'user.colour' in os.listxattr(file), os.fstat(file).st_nlink)
            """, says: "round False 0", listing: listing)
    }

    @Test func `setxattr that must create and replace at once fails`() async throws {
        try await Self.expect(
            """
            import os, errno
            open('a.txt', 'w').close(); codes = []
            for attempt in range(2):
                try: os.setxattr('a.txt', 'user.x', b'1', os.XATTR_CREATE | os.XATTR_REPLACE)
                except OSError as error: codes.append(errno.errorcode[error.errno])
                os.setxattr('a.txt', 'user.x', b'1')
            try: os.setxattr('a.txt', 'user.', b'1')
            except OSError as error: codes.append(errno.errorcode[error.errno])
            print(*codes)
            """, says: "ENODATA EEXIST EINVAL", listing: .filenames)
    }

    @Test func `readers never fail while a document is saved by renaming`() async throws {
        try await Self.expect(
            """
            import os, threading
            open('a.txt', 'w').write('0' * 100); failures = []; done = threading.Event()
            def read():
                while not done.is_set():
                    try:
                        file = os.open('a.txt', os.O_RDONLY)
                        if os.fstat(file).st_size != 100 or len(os.read(file, 200)) != 100: failures.append('torn')
                        os.close(file)
                    except OSError as error: failures.append(error.errno)
            readers = [threading.Thread(target=read) for _ in range(2)]
            for reader in readers: reader.start()
            for number in range(300):
                open('.goutputstream-1', 'w').write(str(number % 10) * 100)
                os.rename('.goutputstream-1', 'a.txt')
            done.set()
            for reader in readers: reader.join()
            print(failures)
            """, says: "[]", listing: .displayNames)
    }

    @Test func `a folder that goes to the trash and back takes the names of its documents along`() async throws {
        try await withDevice { device in
            try await device.shell(
                "cd local && mkdir .Trash-0 Letters && echo hi > Letters/Letter.txt && mv Letters .Trash-0/")
            let trashed = try await device.shell("ls local/.Trash-0/Letters")
            #expect(trashed.line == "Letter.txt")
            try await device.shell("mv local/.Trash-0/Letters local/")
            #expect(try (device.local / "Letters" / "Letter.txt").text() == "hi\n")
            #expect(try (device.local / "Letters" / "Letter.txt").displayName() == "Letter")
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `a mode that shuts its owner out is kept, and docfs gets at the content all the same`(container: String)
        async throws
    {
        try await withDevice { device in
            let document = device.documents / container / "Secret.txt"
            try document.create("secret")
            try await device.shell("chmod 0 \(container)/Secret.txt")
            #expect(try await device.shell("stat -c %a \(container)/Secret.txt").line == "0")
            try await device.crash()
            try await device.mount()
            #expect(try await device.shell("stat -c %a \(container)/Secret.txt").line == "0")
            try await device.shell("chmod 600 \(container)/Secret.txt")
            #expect(try document.text() == "secret")
        }
    }
}
