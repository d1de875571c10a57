import Glibc
import MountSupport
import SystemPackage

/// A folder of the mount that is being read while it changes. *Each document that was there throughout is listed exactly once.*
final class ListingUnderWay {
    private enum Subject: Hashable {
        case document(Int)
        case other(String)
    }

    private let directory: OpenDirectory
    /// The same folder in the plain tree, whatever becomes of its path.
    private let plain: TreePath
    private let plainDescriptor: FileDescriptor
    private let mountDescriptor: FileDescriptor
    private let ledger: Ledger
    private let showsDisplayNames: Bool
    private var throughout: Set<Subject> = []
    /// The names that an entry has had since the beginning.
    private var names: [Subject: Set<String>] = [:]
    private var listed: [String] = []
    private(set) var isAtEnd = false

    init(mount: TreePath, plain: TreePath, _ ledger: Ledger, showsDisplayNames: Bool) throws {
        plainDescriptor = try FileDescriptor.open(plain.string, .readOnly, options: [.directory, .closeOnExec])
        do { directory = try OpenDirectory(FilePath(mount.string)) } catch {
            try plainDescriptor.close()
            throw error
        }
        mountDescriptor = directory.descriptor
        self.plain = TreePath("/proc/self/fd/\(plainDescriptor.rawValue)")
        self.ledger = ledger
        self.showsDisplayNames = showsDisplayNames
        let present = try lookAround()
        throughout = Set(present)
    }

    deinit { try? plainDescriptor.close() }

    private func lookAround() throws -> [Subject] {
        let folder = TreePath("/proc/self/fd/\(mountDescriptor.rawValue)")
        // The folder is opened again: reading the descriptor itself would move its cursor. One without a name has no entries.
        guard let entries = try? (plain / ".").entries() else { return [] }
        return try entries.map { entry in
            let document = ledger.documents[entry.inode]
            let subject = document.map { Subject.document($0) } ?? .other(entry.name)
            var names = self.names[subject] ?? []
            names.insert(entry.name)
            if document != nil, !showsDisplayNames { names.insert(try (folder / entry.name).filename()) }
            self.names[subject] = names
            return subject
        }
    }

    /// Follows what a step did in the folder.
    func follow() throws { throughout.formIntersection(try lookAround()) }

    func read(_ count: Int) throws {
        if (try? (plain / ".").entries()) == nil { return isAtEnd = true }
        for _ in 0..<count {
            guard let entry = try directory.next() else { return try finish() }
            listed.append(entry.name)
        }
    }

    private func finish() throws {
        isAtEnd = true
        let known = names.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        if let stranger = listed.first(where: { !known.contains($0) }) {
            throw SideBySide.Difference(
                subject: "a listing under way", mount: stranger, plain: "nothing was ever called so: \(known.sorted())")
        }
        for subject in throughout {
            guard let own = names[subject] else { continue }
            // A name that had another meaning meanwhile says nothing.
            let shared = names.contains { $0.key != subject && !$0.value.isDisjoint(with: own) }
            let count = listed.count { own.contains($0) }
            if !shared, count != 1 {
                throw SideBySide.Difference(
                    subject: "a listing under way: how often \(own.sorted()) was listed",
                    mount: "\(count) in \(listed)",
                    plain: "1")
            }
        }
    }
}
