import CFuse
import CLinux
import Documents
import Glibc
import Library
import SystemPackage

/// getxattr, listxattr, setxattr, removexattr.
extension Filesystem {
    static func addExtendedAttributes(to operations: inout fuse_lowlevel_ops) {
        operations.getxattr = { request, number, name, size in
            Request(request, "getxattr", number).answer { filesystem throws(Refusal) in
                let value = try filesystem.extendedAttribute(name!, number)
                return try Filesystem.sized(value, size)
            }
        }
        operations.listxattr = { request, number, size in
            Request(request, "listxattr", number).answer { filesystem throws(Refusal) in
                let names = try filesystem.library.extendedAttributeNames(of: Node(number: number))
                return try Filesystem.sized(names.flatMap { Array($0.utf8) + [0] }, size)
            }
        }
        operations.setxattr = { request, number, name, value, size, flags in
            let call = Request(request, "setxattr", number)
            call.answer { filesystem throws(Refusal) in
                let bytes = Array(UnsafeRawBufferPointer(start: value, count: size))
                if number == FUSE_ROOT_ID, let attribute = MountAttribute(rawValue: try Filesystem.attributeName(name!))
                {
                    try attribute.set(String(decoding: bytes, as: UTF8.self), in: filesystem, by: call.caller)
                    return .success
                }
                try filesystem.library.setExtendedAttribute(
                    try Filesystem.attributeName(name!), to: bytes, of: Node(number: number),
                    AttributeCreation(flags: flags), by: call.caller)
                return .success
            }
        }
        operations.removexattr = { request, number, name in
            let call = Request(request, "removexattr", number)
            call.answer { filesystem throws(Refusal) in
                try filesystem.library.removeExtendedAttribute(
                    try Filesystem.attributeName(name!), of: Node(number: number), by: call.caller)
                return .success
            }
        }
    }

    private func extendedAttribute(_ name: UnsafePointer<CChar>, _ number: fuse_ino_t) throws(Refusal) -> [UInt8] {
        let name = try Filesystem.attributeName(name)
        if number == FUSE_ROOT_ID, let value = MountAttribute(rawValue: name)?.value(of: self) {
            return Array(value.utf8)
        }
        return try library.extendedAttribute(name, of: Node(number: number))
    }

    private static func attributeName(_ name: UnsafePointer<CChar>) throws(Refusal) -> String {
        guard let text = String(validating: bytes(name), as: UTF8.self) else { throw .name(.notUTF8) }
        return text
    }

    /// A size of 0 asks how large the answer is (getxattr(2)).
    private static func sized(_ value: [UInt8], _ size: Int) throws(Refusal) -> Reply {
        if size == 0 { return .attributeSize(value.count) }
        guard value.count <= size else { throw .bufferTooSmall }
        return .bytes(value)
    }
}

extension AttributeCreation {
    fileprivate init(flags: Int32) {
        self =
            switch flags {
            case Int32(XATTR_CREATE): .mustCreate
            case Int32(XATTR_REPLACE): .mustReplace
            case Int32(XATTR_CREATE) | Int32(XATTR_REPLACE): .impossible
            default: .either
            }
    }
}

/// Attributes of the mountpoint by which the command line asks the daemon; they are not listed.
public enum MountAttribute: String, Sendable {
    /// The process id of the daemon, in decimal.
    case process = "user.docfs.process"
    /// The namespace in which that number means the daemon (pid_namespaces(7)), as `/proc/PID/ns/pid` has it.
    case processNamespace = "user.docfs.process-namespace"
    /// `display-names` or `filenames`, as `--show` has it.
    case showsDisplayNames = "user.docfs.show"
    /// How the kernel gets at contents, and why.
    case dataPath = "user.docfs.data-path"
    /// The path of the store.
    case store = "user.docfs.store"
    /// When the mount began: ISO 8601 in UTC.
    case began = "user.docfs.began"
    /// Setting it to `check`, `repair` or `new-key` starts that (`CloudCheckup.Request`); reading it tells the progress (`CheckupReply`).
    case checkup = "user.docfs.check"
    /// Set to `undo` or `redo`, undoes an action or does one again; read, says `done NAME` or `refused REASON`.
    case undo = "user.docfs.undo"
    /// Set to `empty`, empties the trash; set to `restore KEY`, brings a document back from it (`TrashedDocument`).
    case trash = "user.docfs.trash"

    /// The process namespace of the calling process, as `/proc/self/ns/pid` has it; empty where /proc is not mounted.
    public static var ownProcessNamespace: String {
        var target = [CChar](repeating: 0, count: 64)
        let count = Glibc.readlink("/proc/self/ns/pid", &target, target.count)
        return count > 0 ? String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    }

    func value(of filesystem: Filesystem) -> String {
        switch self {
        case .process: String(getpid())
        case .processNamespace: Self.ownProcessNamespace
        case .showsDisplayNames: filesystem.library.showsDisplayNames ? "display-names" : "filenames"
        case .dataPath:
            filesystem.passthrough.availability.description(
                noticing: filesystem.library.canNoticeUnseenWrites)
        case .store: filesystem.library.storePath
        case .began: filesystem.began.iso8601
        case .checkup: CheckupReply(filesystem.library.checkup.current).text
        case .undo: filesystem.library.outcomeOfUndo
        case .trash: ""
        }
    }

    /// - Throws: EPERM for what is only read, EINVAL for another word, EBUSY while a checkup is under way.
    func set(_ value: String, in filesystem: Filesystem, by caller: Caller) throws(Refusal) {
        if self == .undo {
            guard let direction = ActionDirection(rawValue: value) else { throw .unknownAction }
            return try filesystem.library.perform(direction)
        }
        if self == .trash {
            if value == "empty" { return try filesystem.library.emptyTrash() }
            let words = value.split(separator: " ")
            guard words.count == 2, words[0] == "restore" else { throw .unknownAction }
            return try filesystem.library.restoreFromTrash(String(words[1]), by: caller)
        }
        guard self == .checkup else { throw .computedAttribute }
        guard let request = CloudCheckup.Request(rawValue: value) else { throw .unknownCheckup }
        guard filesystem.library.checkup.request(request) else { throw .checkupUnderWay }
    }
}
