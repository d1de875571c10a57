import Backing
import Catalog
import Documents
import Glibc
import Library
import SystemPackage

/// The tree over a `Library` in process: does what the kernel and the mount do with a path, component by component, through the
/// library's public calls.
struct LibraryTree: DocumentTree {
    private let library: Library

    init(_ library: Library) { self.library = library }

    func open(
        _ path: DocumentPath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions
    ) throws -> any OpenDocument {
        let flags = mode.rawValue | options.rawValue
        return try refusing {
            let (name, folder) = try split(path)
            guard let found = try lookup(name, in: folder, options) else {
                guard options.contains(.create) else { throw Errno.noSuchFileOrDirectory }
                let (resolved, opening) = try library.create(name, in: folder, by: creator(mode: 0o644), flags: flags)
                return try document(resolved.node, opening, flags)
            }
            if options.contains([.create, .exclusiveCreate]) { throw Errno.fileExists }
            switch found.node {
            case .state(let inode):
                guard mode == .readOnly else { throw Refusal.stateNotWritable }
                return StateText(
                    Array(try library.stateText(of: inode, waitsForCloses: true).utf8), try status(found.node))
            case .order(let folder):
                guard mode == .readOnly else { throw Errno.notSupported }
                return StateText(Array(try library.orderText(of: folder).utf8), try status(found.node))
            case .entry(let inode):
                return try document(found.node, library.open(inode, flags: flags & ~(O_CREAT | O_EXCL)), flags)
            case .actions(let direction):
                return StateText(Array(try library.actionListText(direction).utf8), try status(found.node))
            case .location, .versions, .version, .report, .folderInTrash, .trashed, .trashInfo: throw Refusal.isFolder
            }
        }
    }

    func rename(_ path: DocumentPath, to newPath: DocumentPath, _ options: RenameOptions) throws {
        try refusing {
            let (name, folder) = try split(path)
            let (newName, newFolder) = try split(newPath)
            // The kernel sends no exchange with a name that nothing has.
            if options.contains(.exchange) { _ = try node(newPath) }
            try library.rename(name, in: folder, to: newName, in: newFolder, options: options)
        }
    }

    func remove(_ path: DocumentPath) throws {
        try refusing {
            let (name, folder) = try split(path)
            try library.remove(name, in: folder)
        }
    }

    func makeFolder(_ path: DocumentPath) throws {
        try refusing {
            let (name, folder) = try split(path)
            _ = try library.makeFolder(name, in: folder, by: creator(mode: 0o755))
        }
    }

    func removeFolder(_ path: DocumentPath) throws {
        try refusing {
            let (name, folder) = try split(path)
            try library.removeFolder(name, in: folder)
        }
    }

    func makeSymbolicLink(_ path: DocumentPath, to target: String) throws {
        try refusing {
            let (name, folder) = try split(path)
            _ = try library.makeSymbolicLink(name, to: Array(target.utf8), in: folder, by: creator(mode: 0o777))
        }
    }

    func symbolicLinkTarget(_ path: DocumentPath) throws -> String {
        try refusing { String(decoding: try library.readSymbolicLink(inode(path)), as: UTF8.self) }
    }

    func list(_ folder: DocumentPath) throws -> [String] {
        try refusing { try library.list(inode(folder)).map(\.name) }
    }

    func status(_ path: DocumentPath) throws -> DocumentStatus {
        try refusing { try status(node(path)) }
    }

    func setPermissions(_ permissions: FilePermissions, of path: DocumentPath) throws {
        var changes = AttributeChanges()
        changes.mode = UInt16(permissions.rawValue)
        try refusing { _ = try library.setAttributes(of: inode(path), changes) }
    }

    func attribute(_ name: String, of path: DocumentPath) throws -> [UInt8] {
        try refusing { try library.extendedAttribute(name, of: node(path)) }
    }

    func setAttribute(_ name: String, to value: [UInt8], of path: DocumentPath) throws {
        try refusing { try library.setExtendedAttribute(name, to: value, of: node(path), .either) }
    }

    func removeAttribute(_ name: String, of path: DocumentPath) throws {
        try refusing { try library.removeExtendedAttribute(name, of: node(path)) }
    }

    func attributeNames(of path: DocumentPath) throws -> [String] {
        try refusing { try library.extendedAttributeNames(of: node(path)).sorted() }
    }
}

/// Paths.
extension LibraryTree {
    /// The last name of a path, and the folder it is looked for in.
    private func split(_ path: DocumentPath) throws -> (name: [UInt8], folder: InodeNumber) {
        var components = path.components
        guard let name = components.popLast() else { throw Errno.invalidArgument }
        return (name, try folder(components))
    }

    private func folder(_ components: [[UInt8]]) throws -> InodeNumber {
        var folder = InodeNumber.documents
        for name in components {
            let found = try library.lookup(name, in: folder) { .existing }
            guard case .entry(let inode) = found.node, found.attributes.type == .folder else {
                throw Errno.notDirectory
            }
            folder = inode
        }
        return folder
    }

    /// Nil where nothing has the name.
    private func lookup(
        _ name: [UInt8], in folder: InodeNumber, _ options: FileDescriptor.OpenOptions
    ) throws -> Resolved? {
        let purpose: LookupPurpose =
            if options.contains([.create, .exclusiveCreate]) { .exclusiveCreation } else {
                options.contains(.create) ? .creation : .existing
            }
        do throws(Refusal) {
            return try library.lookup(name, in: folder) { purpose }
        } catch {
            if error.errno == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    private func node(_ path: DocumentPath) throws -> Node {
        let (name, folder) = try split(path)
        return try library.lookup(name, in: folder) { .existing }.node
    }

    private func inode(_ path: DocumentPath) throws -> InodeNumber {
        guard case .entry(let inode) = try node(path) else { throw Errno.notPermitted }
        return inode
    }

    private func status(_ node: Node) throws -> DocumentStatus {
        DocumentStatus(try library.attributes(of: node))
    }

    private func document(_ node: Node, _ opening: Opening, _ flags: Int32) throws -> LibraryDocument {
        guard case .opened(let file) = opening else { throw Errno.resourceTemporarilyUnavailable }
        return LibraryDocument(library, node, file.number, appends: flags & O_APPEND != 0)
    }

    private func creator(mode: UInt16) -> Creator { Creator(owner: geteuid(), group: getegid(), mode: mode) }
}

/// Gives a refusal's errno, as the mount answers it.
func refusing<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let refusal as Refusal { throw refusal.errno }
}

extension DocumentStatus {
    init(_ attributes: FileAttributes) {
        self.init(
            size: attributes.size, links: attributes.links,
            permissions: FilePermissions(rawValue: mode_t(attributes.mode)), isFolder: attributes.type == .folder,
            modified: attributes.modified.nanoseconds)
    }
}
