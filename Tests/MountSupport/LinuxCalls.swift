import Glibc

// Calls of glibc and constants of Linux that Swift's Glibc module leaves out, since it is built
// without _GNU_SOURCE and without <sys/xattr.h>. All take integers and pointers only, which Swift
// passes as C does.

@_silgen_name("renameat2")
public func glibcRenameat2(
    _ oldFolder: CInt, _ oldPath: UnsafePointer<CChar>, _ newFolder: CInt,
    _ newPath: UnsafePointer<CChar>, _ flags: CUnsignedInt
) -> CInt

@_silgen_name("fallocate")
public func glibcFallocate(_ descriptor: CInt, _ mode: CInt, _ offset: off_t, _ length: off_t) -> CInt

@_silgen_name("copy_file_range")
public func glibcCopyFileRange(
    _ source: CInt, _ sourceOffset: UnsafeMutablePointer<off_t>?, _ target: CInt,
    _ targetOffset: UnsafeMutablePointer<off_t>?, _ length: Int, _ flags: CUnsignedInt
) -> Int

@_silgen_name("lgetxattr")
public func glibcGetAttribute(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer?,
    _ size: Int
) -> Int

@_silgen_name("lsetxattr")
public func glibcSetAttribute(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?,
    _ size: Int, _ flags: CInt
) -> CInt

@_silgen_name("llistxattr")
public func glibcListAttributes(
    _ path: UnsafePointer<CChar>, _ list: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int

@_silgen_name("lremovexattr")
public func glibcRemoveAttribute(_ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) -> CInt

public struct RenameFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let noReplace = RenameFlags(rawValue: 1)
    public static let exchange = RenameFlags(rawValue: 2)
}

public struct AllocationMode: OptionSet, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let keepSize = AllocationMode(rawValue: 1)
    public static let punchHole = AllocationMode(rawValue: 2)
}

/// SEEK_DATA and SEEK_HOLE of lseek(2).
public enum SparseSeek: Int32, Sendable {
    case data = 3
    case hole = 4
}

public enum AttributeCondition: Int32, Sendable {
    case none = 0
    case mustNotExist = 1
    case mustExist = 2
}

/// UTIME_NOW and UTIME_OMIT of utimensat(2).
public enum SpecialTime {
    public static let now = (1 << 30) - 1
    public static let omit = (1 << 30) - 2
}
