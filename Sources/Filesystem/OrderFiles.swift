import Catalog
import Synchronization

/// The open `.order` files. Each has a text of its own: what it says at open, or what its writer has written since.
final class OrderFiles: Sendable {
    /// Of this length at most. The longest name has 255 bytes.
    static let longest = 256 << 20

    private struct Table {
        var texts: [UInt64: [UInt8]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let table = Mutex(Table())

    func add(_ text: [UInt8]) -> UInt64 {
        table.withLock { table in
            table.lastNumber += 1
            table.texts[table.lastNumber] = text
            return table.lastNumber
        }
    }

    /// The text of an open file.
    subscript(number: UInt64) -> [UInt8]? {
        get { table.withLock { $0.texts[number] } }
        set { table.withLock { $0.texts[number] = newValue } }
    }

    func remove(_ number: UInt64) { table.withLock { _ = $0.texts.removeValue(forKey: number) } }
}
