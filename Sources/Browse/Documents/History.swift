/// What was done, and what was deleted: the lists of undo, redo and the trash.
package struct History: Sendable, Encodable {
    package struct Action: Sendable, Encodable {
        package let name: String
        /// ISO 8601.
        package let time: String
        /// The folder of the first document that it was about; nil if it was about none.
        package let place: String?

        package init(name: String, time: String, place: String?) {
            self.name = name
            self.time = time
            self.place = place
        }
    }

    package struct Deleted: Sendable, Encodable {
        package let key: String
        package let name: String
        package let place: String
        /// ISO 8601.
        package let time: String
        package let device: String?
        /// Bytes.
        package let size: Int64

        package init(key: String, name: String, place: String, time: String, device: String?, size: Int64) {
            self.key = key
            self.name = name
            self.place = place
            self.time = time
            self.device = device
            self.size = size
        }
    }

    /// The next one first, as far as a page shows them.
    package let undo: [Action]
    package let redo: [Action]
    /// The latest first.
    package let trash: [Deleted]
    /// How many more are in the trash.
    package let rest: Int

    private static let longest = 200

    package init(undo: [Action], redo: [Action], trash: [Deleted]) {
        self.undo = Array(undo.prefix(Self.longest))
        self.redo = Array(redo.prefix(Self.longest))
        self.trash = Array(trash.prefix(Self.longest))
        rest = trash.count - self.trash.count
    }
}
