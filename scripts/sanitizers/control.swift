// Shows that a sanitizer finds what it is for, and nothing else: with its name as the argument it must report, without it must not.
import Dispatch
import Synchronization

final class Shared: @unchecked Sendable {
    let guarded = Mutex(0)
    var bare = 0
}

let fault = CommandLine.arguments.last
let shared = Shared()
DispatchQueue.concurrentPerform(iterations: 8) { _ in
    for _ in 0..<20_000 {
        shared.guarded.withLock { $0 += 1 }
        if fault == "thread" { shared.bare += 1 }
    }
}
if fault == "address" {
    let freed = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    freed.initialize(to: shared.bare)
    freed.deallocate()
    print(freed.pointee)
}
print(shared.guarded.withLock { $0 })
