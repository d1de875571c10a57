import CLinux
import Glibc
import SystemPackage

/// A document that is made by a command, and not by a program that writes it.
struct NewDocument {
    /// The display name; nil for one that nobody has named.
    let name: String?
    /// Without the dot. It may be empty.
    let pathExtension: String

    /// - Returns: the filename.
    func make(in folder: String) throws -> String {
        let fullName = name.map(whole)
        do throws(Errno) {
            return try create(fullName ?? whole("Untitled"), in: folder, named: nil)
        } catch .fileExists where fullName != nil {
            // Another document bears this name. An untitled document is always a fresh one, and may then be given the name as well.
            do throws(Errno) { return try create(whole("Untitled"), in: folder, named: name) } catch {
                throw refused(error, folder)
            }
        } catch {
            throw refused(error, folder)
        }
    }

    private func refused(_ error: Errno, _ folder: String) -> CommandFailure {
        if error == .noData {
            return CommandFailure(
                "\(whole(name ?? "Untitled")) is a name of scratch files, which are no documents; choose another")
        }
        return CommandFailure("cannot make a document\(name.map { " named \($0)" } ?? "") in \(folder): \(error)")
    }

    private func whole(_ name: String) -> String { pathExtension.isEmpty ? name : "\(name).\(pathExtension)" }

    private func create(_ wholeName: String, in folder: String, named displayName: String?) throws(Errno) -> String {
        let path = folder + "/" + wholeName
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw Errno(rawValue: errno) }
        defer { close(file) }
        guard let filename = filename(of: file) else {
            unlink(path)
            throw .noData
        }
        if let displayName {
            let bytes = Array(displayName.utf8)
            guard fsetxattr(file, "user.displayName", bytes, bytes.count, 0) == 0 else {
                let error = Errno(rawValue: errno)
                unlink(folder + "/" + filename)
                throw error
            }
        }
        return filename
    }

    /// Nil for a scratch file, which keeps the name that it was given.
    private func filename(of file: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fgetxattr(file, "user.document.filename", &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
