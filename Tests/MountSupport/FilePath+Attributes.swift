import Glibc
import SystemPackage

extension FilePath {
    public func attributeBytes(_ name: String) throws(Errno) -> [UInt8] {
        let value = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { value.deallocate() }
        let count = try call { path in glibcGetAttribute(path, name, value.baseAddress, value.count) }
        return Array(value[..<count])
    }

    public func attribute(_ name: String) throws(Errno) -> String {
        String(decoding: try attributeBytes(name), as: UTF8.self)
    }

    public func setAttribute(
        _ name: String, _ value: [UInt8], _ condition: AttributeCondition = .none
    ) throws(Errno) {
        try call { path in
            glibcSetAttribute(path, name, value, value.count, condition.rawValue)
        }
    }

    public func setAttribute(
        _ name: String, _ value: String, _ condition: AttributeCondition = .none
    ) throws(Errno) {
        try setAttribute(name, Array(value.utf8), condition)
    }

    public func removeAttribute(_ name: String) throws(Errno) {
        try call { path in glibcRemoveAttribute(path, name) }
    }

    /// The names that listxattr gives, sorted.
    public func attributeNames() throws(Errno) -> [String] {
        let list = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 1 << 16)
        defer { list.deallocate() }
        let count = try call { path in glibcListAttributes(path, list.baseAddress, list.count) }
        return list[..<count].split(separator: 0).map { name in
            String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }.sorted()
    }

    // MARK: What docfs says in attributes

    public func displayName() throws(Errno) -> String { try attribute("user.displayName") }

    public func filename() throws(Errno) -> String { try attribute("user.document.filename") }

    public func identifier() throws(Errno) -> String { try attribute("user.document.id") }

    public func identity() throws(Errno) -> Identity {
        Identity(id: try identifier(), filename: try filename(), displayName: try displayName())
    }
}

/// The facts by which a document is the same document, whatever happens to its content.
public struct Identity: Equatable, Sendable {
    public let id: String
    public let filename: String
    public let displayName: String

    public init(id: String, filename: String, displayName: String) {
        self.id = id
        self.filename = filename
        self.displayName = displayName
    }
}
