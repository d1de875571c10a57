import Glibc

// Calls of glibc that Swift's Glibc module leaves out. All take integers and pointers only, which Swift passes as C does.

@_silgen_name("flock")
func glibcLock(_ descriptor: CInt, _ operation: CInt) -> CInt

@_silgen_name("fsetxattr")
func glibcSetAttributeOfHandle(
    _ descriptor: CInt, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ size: Int, _ flags: CInt
) -> CInt

/// F_OFD_SETLK of fcntl(2): a lock of the open file, not of the process.
let setLockOfOpenFile: CInt = 37
