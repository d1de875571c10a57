import CLinux
import Documents
import Glibc
import SystemPackage

/// Copies the content of versions.
enum ContentCopy {
    /// Replaces a document's content with that of a version, in one step: readers see the old or the new content, whole. Undo brings the
    /// content back that the document has now, so that it must be here.
    static func replace(_ document: String, with version: String) throws {
        var status = stat()
        guard stat(document, &status) == 0 else { throw failure("read", document) }
        let folder = document.lastIndex(of: "/").map { String(document[..<$0]) } ?? "."
        var random = SystemRandomNumberGenerator()
        let temporary = folder + "/" + RestoredVersionName.make(using: &random)
        try copy(version, toNew: temporary, mode: status.st_mode & 0o7777)
        guard rename(temporary, document) == 0 else {
            let error = failure("replace", document)
            unlink(temporary)
            throw error
        }
    }

    /// Makes a new document beside another one from one of its versions, with the version's time.
    ///
    /// - Returns: the path of the new document.
    static func makeDocument(of version: ListedVersion, beside document: String, named name: (Int) -> String) throws
        -> String
    {
        var status = stat()
        guard stat(document, &status) == 0 else { throw failure("read", document) }
        let folder = document.lastIndex(of: "/").map { String(document[..<$0]) } ?? "."
        for number in 1... {
            let path = folder + "/" + name(number)
            if access(path, F_OK) == 0 { continue }
            try copy(version.path, toNew: path, mode: status.st_mode & 0o7777)
            let time = timespec(tv_sec: version.modifiedSeconds, tv_nsec: 0)
            guard utimensat(AT_FDCWD, path, [time, time], 0) == 0 else { throw failure("set the time of", path) }
            return path
        }
        preconditionFailure("no number is free")
    }

    /// `Plan (Laptop 2026-11-21 04.12.33).txt`: the name of a document and which version of it this is.
    static func name(_ displayName: String, version: String, number: Int) -> String {
        let pathExtension =
            version.firstMatch(of: /\d\d\.\d\d\.\d\d(?: \d+)?(\..+)?$/).flatMap { $0.1.map(String.init) } ?? ""
        let stem = pathExtension.isEmpty ? version : String(version.dropLast(pathExtension.count))
        let suffix = " (\(stem)\(number > 1 ? " \(number)" : ""))" + pathExtension
        var beginning = displayName
        while (beginning + suffix).utf8.count > EntryName.maximumLength, !beginning.isEmpty { beginning.removeLast() }
        return beginning + suffix
    }

    /// Writes the whole content to standard output.
    static func show(_ version: String) throws {
        let source = try open(version)
        defer { close(source) }
        try read(source, version) { try Output.write(bytes: $0) }
    }

    private static func copy(_ source: String, toNew path: String, mode: mode_t) throws {
        let input = try open(source)
        defer { close(input) }
        let output = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("create", path) }
        defer { close(output) }
        do {
            try read(input, source) { bytes in
                do { try FileDescriptor(rawValue: output).writeAll(bytes) } catch {
                    throw CommandFailure("cannot write \(path): \(error)")
                }
            }
            guard fchmod(output, mode) == 0, fsync(output) == 0 else { throw failure("write", path) }
        } catch {
            unlink(path)
            throw error
        }
    }

    private static func open(_ path: String) throws -> Int32 {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure("open", path) }
        return file
    }

    private static func read(_ file: Int32, _ path: String, _ take: (ArraySlice<UInt8>) throws -> Void) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return }
            try take(buffer[..<count])
        }
    }

    private static func failure(_ verb: String, _ path: String) -> CommandFailure {
        CommandFailure("cannot \(verb) \(path): \(Errno(rawValue: errno))")
    }
}
