import Backing
import Catalog
import Documents
import Glibc
import Synchronization
import SystemPackage

/// A file that is open: the one descriptor that all its handles share.
final class OpenFile: Sendable {
    struct State {
        var handles = 0
        var writing = WriterWatch()
        /// How often names had changed when it was first opened (`OpenFiles.isPlain`).
        var nameChanges: Int?
        /// Whether its last name is gone; the descriptor alone keeps the content.
        var isUnlinked = false
        /// Whether a newer version was received while it was open for writing.
        var isOvertaken = false
        /// Whether a write by a caller without privilege must clear set-id bits.
        var hasSetID = false
        /// For the few writes that reach docfs of a file whose descriptor is not for writing.
        var writable: Descriptor?
    }

    let inode: InodeNumber
    let descriptor: Descriptor
    /// Whether the descriptor is for writing. For a cloud document that the kernel writes to by itself it is not, so that a lease tells
    /// whether others still have it open for writing (`UnseenWrites.isMapped`).
    let isWritable: Bool
    /// Whether changes had to be sent to the container when it was opened.
    let isReplicated: Bool
    /// The id of the cloud document that it was when it was opened.
    let document: EntryID?
    /// Whether it was no cloud document and had a given name when it was opened.
    let wasPlain: Bool
    /// The content's arrival, when the file was opened before it was here.
    let arrival: Arrival?
    /// Never held around another lock or a system call.
    let state = Mutex(State())

    init(entry: Entry, descriptor: Descriptor, isWritable: Bool) {
        inode = entry.inode
        self.descriptor = descriptor
        self.isWritable = isWritable
        arrival = nil
        isReplicated = entry.isReplicated
        document = entry.isReplicated && entry.kind == .document ? entry.id : nil
        wasPlain = !entry.isReplicated && (entry.kind != .document || entry.naming == .given)
        state.withLock { $0.hasSetID = FileMode.hasSetID(entry.mode) }
    }

    /// Content that can be read only, or is still arriving.
    init(inode: InodeNumber, descriptor: Descriptor, isWritable: Bool = false, arrival: Arrival? = nil) {
        self.inode = inode
        self.descriptor = descriptor
        self.isWritable = isWritable
        self.arrival = arrival
        isReplicated = false
        wasPlain = false
        document = inode.isVersion ? nil : arrival?.document
    }

    /// A descriptor for writing.
    ///
    /// - Throws: what open(2) gives.
    func writable() throws(Errno) -> Descriptor {
        if isWritable { return descriptor }
        if let known = state.withLock(\.writable) { return known }
        let opened = try descriptor.reopened(O_RDWR)
        state.withLock { $0.writable = opened }
        return opened
    }

    func dropWritable() { state.withLock { $0.writable = nil } }

    /// Reads or changes what is known of the file's writers.
    @discardableResult
    func withWriting<Value: Sendable>(_ body: (inout WriterWatch) -> Value) -> Value {
        state.withLock { body(&$0.writing) }
    }

    var isUnlinked: Bool { state.withLock(\.isUnlinked) }

    var isOpenForWriting: Bool { withWriting { $0.writers > 0 } }

    /// Whether another open may share it. Content that is arriving can be read already, but not written. The file of an arrival that
    /// failed belongs to no document any more.
    func canBeShared(forWriting writes: Bool) -> Bool {
        switch arrival?.stage {
        case nil, .installed: true
        case .underWay: !writes
        case .failed: false
        }
    }
}
