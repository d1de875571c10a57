import MountSupport
import SystemPackage

/// How programs use the system calls.
extension DocumentTree {
    // MARK: Content

    /// Makes a new file, which must not exist.
    func create(_ path: DocumentPath, _ text: String = "") throws {
        let document = try open(path, .writeOnly, [.create, .exclusiveCreate])
        try document.write(text)
        try document.close()
    }

    /// Writes the whole content as the shell's `>` does: create or truncate, write, close.
    func write(_ path: DocumentPath, _ text: String) throws {
        let document = try open(path, .writeOnly, [.create, .truncate])
        try document.write(text)
        try document.close()
    }

    /// Adds to the end as the shell's `>>` does.
    func append(_ path: DocumentPath, _ text: String) throws {
        let document = try open(path, .writeOnly, [.create, .append])
        try document.write(text)
        try document.close()
    }

    func text(_ path: DocumentPath) throws -> String {
        let document = try open(path, .readOnly, [])
        let text = try document.text()
        try document.close()
        return text
    }

    // MARK: Names

    func exists(_ path: DocumentPath) throws -> Bool {
        do {
            _ = try status(path)
            return true
        } catch Errno.noSuchFileOrDirectory { return false }
    }

    func textAttribute(_ name: String, of path: DocumentPath) throws -> String {
        String(decoding: try attribute(name, of: path), as: UTF8.self)
    }

    func setDisplayName(_ name: String, of path: DocumentPath) throws {
        try setAttribute("user.displayName", to: Array(name.utf8), of: path)
    }

    func displayName(_ path: DocumentPath) throws -> String { try textAttribute("user.displayName", of: path) }

    func filename(_ path: DocumentPath) throws -> String { try textAttribute("user.document.filename", of: path) }

    func identifier(_ path: DocumentPath) throws -> String { try textAttribute("user.document.id", of: path) }

    func identity(_ path: DocumentPath) throws -> Identity {
        Identity(id: try identifier(path), filename: try filename(path), displayName: try displayName(path))
    }

    // MARK: States

    /// `cat F.state`
    func state(_ path: DocumentPath) throws -> StateFile { try StateFile(text: text("\(path).state")) }

    func folderState(_ folder: DocumentPath) throws -> FolderState { try FolderState(text: text(folder / ".state")) }
}

extension OpenDocument {
    func write(_ text: String) throws { try write(Array(text.utf8)) }

    func text() throws -> String {
        var content: [UInt8] = []
        while true {
            let piece = try read(1 << 17, at: Int64(content.count))
            if piece.isEmpty { return String(decoding: content, as: UTF8.self) }
            content += piece
        }
    }
}

extension DocumentPath: CustomStringConvertible {
    var description: String { String(decoding: bytes, as: UTF8.self) }
}
