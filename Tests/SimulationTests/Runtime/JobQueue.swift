import Glibc
import Synchronization
import TestSupport

/// The run queue of one world. All that the code under test starts on the world's thread, tasks without a
/// parent included, waits here until the world takes it out; nothing of it runs anywhere else.
///
/// A world goes by the compiled code, too: each hop to the executor that the compiler leaves in a function is one job more here, and so one random
/// number more. A build with other code between two suspensions (`scripts/mutants`) has other worlds for the same seeds.
///
/// The Swift runtime has a hook for what would go to its pool of threads. It is installed once for the
/// process, and concerns threads only that run a world.
final class JobQueue: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    /// One step runs some hundreds. So many more are tasks that start each other for ever.
    private static let mostJobs = 1_000_000
    private let overran = Mutex(false)

    /// Whether jobs were left because they never came to an end.
    var isOverrun: Bool { overran.withLock(\.self) }

    func enqueue(_ job: UnownedJob) { jobs.withLock { $0.append(job) } }

    /// Runs all jobs, and those they start, each time one that `random` chooses.
    ///
    /// - Returns: how many there were.
    @discardableResult
    func drain(_ random: inout SeededGenerator) -> Int {
        var count = 0
        while true {
            if count == Self.mostJobs { overran.withLock { $0 = true } }
            if isOverrun { return count }
            let job = jobs.withLock { jobs -> UnownedJob? in
                guard !jobs.isEmpty else { return nil }
                return jobs.remove(at: Int.random(in: 0..<jobs.count, using: &random))
            }
            guard let job else { return count }
            job.runSynchronously(on: asUnownedTaskExecutor())
            count += 1
        }
    }

    // MARK: The threads of worlds

    /// Runs `body` on a thread of its own on which this queue gets all jobs.
    func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        Self.installHook()
        return await withCheckedContinuation { continuation in
            let start = ThreadStart { [self] in
                pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
                let value = body()
                pthread_setspecific(Self.key, nil)
                continuation.resume(returning: value)
            }
            start.launch()
        }
    }

    fileprivate static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    fileprivate static var current: JobQueue? {
        pthread_getspecific(key).map { Unmanaged<JobQueue>.fromOpaque($0).takeUnretainedValue() }
    }

    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    private static let hook: Void = {
        _ = key
        guard let symbol = dlsym(nil, "swift_task_enqueueGlobal_hook") else {
            fatalError("the Swift runtime has no such hook")
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
            if let queue = JobQueue.current { queue.enqueue(job) } else { original(job) }
        }
    }()

    private static func installHook() { hook }
}

/// A closure on its way to a new thread.
private final class ThreadStart: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func launch() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 8 << 20)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { argument in
                Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(result == 0)
    }
}
