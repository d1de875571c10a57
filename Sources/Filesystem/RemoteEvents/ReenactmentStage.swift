import CLinux
import Glibc
import Synchronization

/// Where the requests of the thread that reenacts remote changes (`ReenactingThread`) are told from everyone
/// else's, and find their answers.
final class ReenactmentStage: Sendable {
    /// Looked up once by the thread, to see whether the kernel names it here by the number that it has in this process.
    static let cue = ".docfs-remote-events"

    private let performer = Atomic<pid_t>(0)
    private let wasRecognized = Atomic(false)
    private let current = Mutex<Reenactment?>(nil)

    /// From now on requests of the calling thread are its own; they are reenactments as soon as it has shown itself by
    /// looking up the cue.
    func enter() { performer.store(gettid(), ordering: .relaxed) }

    /// Its number may be another thread's from now on.
    func leave() {
        performer.store(0, ordering: .relaxed)
        wasRecognized.store(false, ordering: .relaxed)
    }

    /// Whether the kernel names the thread as it is named here; not so across namespaces of processes.
    var isPerformerKnown: Bool { wasRecognized.load(ordering: .relaxed) }

    func perform(_ reenactment: Reenactment, _ calls: () -> Int32) -> Int32 {
        current.withLock { $0 = reenactment }
        defer { current.withLock { $0 = nil } }
        return calls()
    }

    func isPerformer(_ thread: pid_t) -> Bool {
        let performer = performer.load(ordering: .relaxed)
        return performer != 0 && thread == performer
    }

    /// The answer to a request of the performer.
    func answer(to call: Reenactment.Call) -> Reenactment.Answer {
        guard isPerformerKnown else {
            if case .lookup(_, Self.cue) = call { wasRecognized.store(true, ordering: .relaxed) }
            return .notOurs
        }
        if let answer = current.withLock({ $0?.answer(to: call) }) { return answer }
        // Between two changes it does nothing.
        if case .lookup = call { return .notOurs } else { return .refused }
    }
}
