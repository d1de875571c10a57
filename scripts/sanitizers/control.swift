// Shows that the sanitizer finds what it is for, and nothing else: with the argument `faulty` it must report, without it must not.
import Dispatch
import Synchronization

final class Shared: @unchecked Sendable {
    let guarded = Mutex(0)
    var bare = 0
}

let isFaulty = CommandLine.arguments.contains("faulty")
let shared = Shared()
DispatchQueue.concurrentPerform(iterations: 8) { _ in
    for _ in 0..<20_000 {
        shared.guarded.withLock { $0 += 1 }
        if isFaulty { shared.bare += 1 }
    }
}
if isFaulty {
    let freed = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    freed.initialize(to: shared.bare)
    freed.deallocate()
    print(freed.pointee)
}
print(shared.guarded.withLock { $0 })
