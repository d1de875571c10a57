import Backing
import Catalog
import CLinux
import Documents
import Glibc
import SystemPackage

/// Which attributes setattr is to change; nil leaves one as it is.
public struct AttributeChanges: Sendable {
    public enum Time: Sendable { case now, at(Timestamp) }

    public var mode: UInt16?
    public var owner: UInt32?
    public var group: UInt32?
    /// Bytes.
    public var size: Int64?
    public var accessed: Time?
    public var modified: Time?
    /// Set where the change takes set-id bits away: every change of owner does, and a change of size by somebody without
    /// privilege. Tells whether the caller belongs to a group, or has the privilege of every one.
    public var clearsSetID: Membership?

    public typealias Membership = @Sendable (_ group: UInt32) -> Bool

    public init() {}
}

extension AttributeChanges {
    /// With the mode that is left when the change takes set-id bits away.
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

    var isOfModeOnly: Bool {
        owner == nil && group == nil && size == nil && accessed == nil && modified == nil
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
    /// What chmod, chown and utimensat change of something that has no file any more.
    mutating func take(_ changes: AttributeChanges, now: Timestamp) {
        if let mode = changes.mode { self.mode = mode }
        if let owner = changes.owner { self.owner = owner }
        if let group = changes.group { self.group = group }
        accessed = changes.accessed.map { $0.value(now: now) } ?? accessed
        modified = changes.modified.map { $0.value(now: now) } ?? modified
        changed = now
    }
}
