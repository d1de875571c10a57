import Catalog
import Documents

extension Container {
    var other: Container { self == .local ? .cloud : .local }

    /// The folder at its top.
    var folder: InodeNumber { self == .local ? .local : .cloud }
}
