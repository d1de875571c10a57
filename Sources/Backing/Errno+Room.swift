import SystemPackage

extension Errno {
    /// Whether the disk, or what this user may have of it, is full.
    package var isLackOfRoom: Bool { self == .noSpace || self == .diskQuotaExceeded }
}
