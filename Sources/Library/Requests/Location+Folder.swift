import Documents

extension Location {
    var other: Location { self == .local ? .cloud : .local }

    /// The folder at its top.
    var folder: InodeNumber { self == .local ? .local : .cloud }
}
