/// The path of a document or folder from `Documents` on, such as `local/Groceries.txt`.
struct DocumentPath: ExpressibleByStringInterpolation, Sendable {
    let bytes: [UInt8]

    init(stringLiteral path: String) { bytes = Array(path.utf8) }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    var components: [[UInt8]] { bytes.split(separator: UInt8(ascii: "/")).map(Array.init) }

    static func / (folder: DocumentPath, name: String) -> DocumentPath { folder / Array(name.utf8) }

    /// A name of arbitrary bytes, which need not be UTF-8.
    static func / (folder: DocumentPath, name: [UInt8]) -> DocumentPath {
        DocumentPath(bytes: folder.bytes + [UInt8(ascii: "/")] + name)
    }
}
