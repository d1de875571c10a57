import Backing
import Catalog
import CLinux
import Documents
import Glibc
import SystemPackage

/// The attributes that a setattr changes; nil leaves one as it is.
public struct AttributeChanges: Sendable {
    /// A time as utimensat(2) takes it.
    public enum Time: Sendable { case now, at(Timestamp) }

    /// Permission bits with set-id bits and sticky bit, without the type of the file.
    public var mode: UInt16?
    /// A user id.
    public var owner: UInt32?
    /// A group id.
    public var group: UInt32?
    /// Bytes.
    public var size: Int64?
    /// The time of the last access. Only the file in the store has it: for a placeholder the change has no effect.
    public var accessed: Time?
    /// The time of modification. It is sent to other devices with an entry of the cloud.
    public var modified: Time?
    /// Set if the change removes set-id bits, as every change of owner does and a change of size by a caller without privilege. Tells
    /// whether the caller belongs to a group, or has the privilege of all groups.
    public var clearsSetID: Membership?

    /// Whether the caller of the system call belongs to a group, or has the privilege of all groups.
    public typealias Membership = @Sendable (_ group: UInt32) -> Bool

    /// Changes nothing.
    public init() {}
}

extension AttributeChanges {
    /// With the mode that is left when the change removes set-id bits.
    ///
    /// - Parameter group: the file's.
    func resolved(
        for kind: EntryKind, mode current: UInt16, group: () throws -> UInt32
    ) rethrows -> AttributeChanges {
        guard let clearsSetID, kind == .document || kind == .scratch else { return self }
        var changes = self
        let mode = try FileMode.clearingSetID(mode ?? current) { clearsSetID(try group()) }
        if mode != current { changes.mode = mode }
        return changes
    }

    /// The argument of utimensat(2); nil when neither time changes.
    var times: [timespec]? {
        if accessed == nil, modified == nil { return nil }
        return [accessed, modified].map { time in
            switch time {
            case nil: Glibc.timespec(tv_sec: 0, tv_nsec: UTIME_OMIT)
            case .now: Glibc.timespec(tv_sec: 0, tv_nsec: UTIME_NOW)
            case .at(let time): time.timespec
            }
        }
    }
}

extension AttributeChanges.Time {
    func value(now: Timestamp) -> Timestamp {
        switch self {
        case .now: now
        case .at(let time): time
        }
    }
}

extension FileAttributes {
    /// Applies a chmod, chown or utimensat to an orphan without a file.
    mutating func apply(_ changes: AttributeChanges, now: Timestamp) {
        if let mode = changes.mode { self.mode = mode }
        if let owner = changes.owner { self.owner = owner }
        if let group = changes.group { self.group = group }
        accessed = changes.accessed.map { $0.value(now: now) } ?? accessed
        modified = changes.modified.map { $0.value(now: now) } ?? modified
        changed = now
    }
}
