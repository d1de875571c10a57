import Glibc
import MountSupport
import SystemPackage

/// What can be seen of an entry and is the same on every file system.
struct Look: Equatable, CustomStringConvertible {
    var mode: UInt32
    var owner: UInt32
    var group: UInt32
    /// Of all but folders, where each file system counts in its own way.
    var links: UInt?
    var size: Int?
    /// If it was set: those times lie years back. Else the two trees differ by how long an operation takes.
    var modified: Int?
    var content: Content?
    var target: String?
    var attributes: [String: [UInt8]] = [:]

    init(_ status: stat) {
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        if status.st_mode & S_IFMT != S_IFDIR {
            links = UInt(status.st_nlink)
            size = Int(status.st_size)
        }
        let seconds = status.st_mtim.tv_sec
        modified = seconds < 1_500_000_000 ? seconds : nil
    }

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    var isFile: Bool { mode & S_IFMT == S_IFREG }

    var description: String {
        let parts: [(String, String?)] = [
            ("mode", String(mode, radix: 8)), ("owner", "\(owner):\(group)"), ("links", links.map { "\($0)" }),
            ("size", size.map { "\($0)" }), ("modified", modified.map { "\($0)" } ?? "lately"),
            ("content", content.map { summary(of: $0.bytes) }), ("target", target),
            (
                "attributes",
                attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\(summary(of: $0.value))" }
                    .joined(separator: " ")
            ),
        ]
        return parts.compactMap { name, value in value.map { "\(name) \($0)" } }.joined(separator: ", ")
    }
}

/// The bytes of a file, compared as fast in a build for debugging as in any.
struct Content: Equatable {
    let bytes: [UInt8]

    static func == (one: Content, other: Content) -> Bool {
        one.bytes.count == other.bytes.count && memcmp(one.bytes, other.bytes, one.bytes.count) == 0
    }
}

extension TreePath {
    /// All that can be seen of the entry at this path; a link is not followed.
    func look() throws(Errno) -> Look {
        var look = Look(try linkStatus())
        if look.isFile { look.content = Content(bytes: try bytes()) }
        if look.mode & S_IFMT == S_IFLNK { look.target = target }
        look.attributes = try userAttributes()
        return look
    }
}
