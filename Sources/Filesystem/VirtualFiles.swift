import Synchronization

/// The open virtual files: `.state`, `.order`, `.location`, `.undo` and `.redo`. Each handle has a text of its own: what the file said at
/// open, or what its writer has written since.
final class VirtualFiles: Sendable {
    /// A written text has at most this many bytes.
    static let longest = 256 << 20

    private struct OpenFile {
        var text: [UInt8]
        /// Whether the text is the one of the open and was not read yet.
        var isUnread = true
        var isUnwritten = true
    }

    private struct Table {
        var files: [UInt64: OpenFile] = [:]
        var lastNumber: UInt64 = 0
    }

    private let table = Mutex(Table())

    /// - Returns: the number of the new handle.
    func add(_ text: [UInt8]) -> UInt64 {
        table.withLock { table in
            table.lastNumber += 1
            table.files[table.lastNumber] = OpenFile(text: text)
            return table.lastNumber
        }
    }

    func add(_ text: String) -> UInt64 { add(Array(text.utf8)) }

    /// The text of an open file; nil if there is no such handle.
    subscript(handle: UInt64) -> [UInt8]? { table.withLock { $0.files[handle]?.text } }

    /// - Returns: whether this is the first time.
    func beginReading(_ handle: UInt64) -> Bool {
        table.withLock { table in
            defer { table.files[handle]?.isUnread = false }
            return table.files[handle]?.isUnread == true
        }
    }

    /// - Returns: whether this is the first time.
    func beginWriting(_ handle: UInt64) -> Bool {
        table.withLock { table in
            defer { table.files[handle]?.isUnwritten = false }
            return table.files[handle]?.isUnwritten == true
        }
    }

    func replaceText(of handle: UInt64, by text: [UInt8]) { table.withLock { $0.files[handle]?.text = text } }

    func remove(_ handle: UInt64) { table.withLock { _ = $0.files.removeValue(forKey: handle) } }
}
