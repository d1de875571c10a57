import Documents
import CLinux
import Catalog
import Dispatch
@testable import Filesystem
import Glibc
import Logging
import Synchronization
import SystemPackage
import Testing

/// In which order changes are shown to watchers, and how often each is tried.
struct RemoteEventsTests {
    /// Fails as it is told to, then succeeds.
    private final class Performer: ChangePerformer {
        private struct State {
            var failures: [Errno]
            var performed: [RemoteChange] = []
            var hasStarted = false
            var hasEnded = false
        }

        private let state: Mutex<State>
        private let starts: Bool
        /// While somebody holds it, a change that is performed waits.
        let gate = DispatchSemaphore(value: 1)

        init(starts: Bool = true, failing failures: [Errno] = []) {
            self.starts = starts
            state = Mutex(State(failures: failures))
        }

        var performed: [RemoteChange] { state.withLock(\.performed) }
        var hasEnded: Bool { state.withLock(\.hasEnded) }

        var hasStarted: Bool { state.withLock(\.hasStarted) }

        func start() -> Bool {
            state.withLock { $0.hasStarted = true }
            return starts
        }

        func perform(_ change: RemoteChange) throws(Errno) {
            gate.wait()
            gate.signal()
            let failure = state.withLock { state in
                state.performed.append(change)
                return state.failures.isEmpty ? nil : state.failures.removeFirst()
            }
            if let failure { throw failure }
        }

        func end() { state.withLock { $0.hasEnded = true } }
    }

    private static let created = RemoteChange.created(.document("new.txt"))
    private static let moved = RemoteChange.moved(
        from: .document("old.txt"), to: .document("new.txt", in: InodeNumber(100)))

    /// - Returns: the names that were expired.
    private static func show(_ changes: [RemoteChange], by performer: Performer) -> [String] {
        let expired = Mutex<[String]>([])
        let events = RemoteEvents(performer: performer, logger: Logger(label: "test"))
        events.start()
        for change in changes {
            events.show(change) { name, folder in expired.withLock { $0.append("\(folder.number)/\(name)") } }
        }
        events.drain()
        return expired.withLock { $0 }
    }

    @Test func `changes are shown one after the other, their names expired before`() {
        let performer = Performer()
        let cloud = InodeNumber.cloud.number
        #expect(
            Self.show([Self.created, Self.moved], by: performer) == [
                "\(cloud)/new.txt", "\(cloud)/old.txt", "100/new.txt",
            ])
        #expect(performer.performed == [Self.created, Self.moved])
        #expect(performer.hasEnded)
    }

    @Test(arguments: [Errno.fileExists, .notPermitted])
    func `a change whose names were looked up meanwhile is tried again with expired names`(failure: Errno) {
        let performer = Performer(failing: [failure, failure])
        #expect(Self.show([Self.created], by: performer).count == 3)
        #expect(performer.performed.count == 3)
    }

    @Test func `it is tried three times at most, and then the next one`() {
        let performer = Performer(failing: Array(repeating: .fileExists, count: 3))
        _ = Self.show([Self.created, Self.moved], by: performer)
        #expect(performer.performed == [Self.created, Self.created, Self.created, Self.moved])
    }

    @Test func `a change that fails otherwise is not tried again`() {
        let performer = Performer(failing: [.noSuchFileOrDirectory])
        _ = Self.show([Self.created, Self.moved], by: performer)
        #expect(performer.performed == [Self.created, Self.moved])
    }

    @Test func `where the mount does not recognise the thread, nothing is shown`() {
        let performer = Performer(starts: false)
        #expect(Self.show([Self.created], by: performer).isEmpty)
        #expect(performer.performed.isEmpty)
    }

    @Test func `after the end only the change under way is shown`() {
        let performer = Performer()
        let events = RemoteEvents(performer: performer, logger: Logger(label: "test"))
        let begun = DispatchSemaphore(value: 0)
        performer.gate.wait()
        events.show(Self.created) { _, _ in begun.signal() }
        events.show(Self.moved) { _, _ in }
        begun.wait()
        events.end()
        events.show(Self.moved) { _, _ in }
        performer.gate.signal()
        events.drain()
        #expect(performer.performed == [Self.created])
    }

    @Test func `a change under way that never ends is waited for no longer than asked`() {
        let performer = Performer()
        let events = RemoteEvents(performer: performer, logger: Logger(label: "test"))
        let begun = DispatchSemaphore(value: 0)
        performer.gate.wait()
        events.show(Self.created) { _, _ in begun.signal() }
        begun.wait()
        events.end()
        events.drain(within: .milliseconds(10))
        #expect(!performer.hasEnded)
        performer.gate.signal()
        events.drain()
        #expect(performer.hasEnded)
    }

    @Test func `what ends before it begins makes no call on the mount`() {
        let performer = Performer()
        let events = RemoteEvents(performer: performer, logger: Logger(label: "test"))
        events.end()
        events.start()
        events.drain()
        #expect(!performer.hasStarted)
    }

    @Test func `when too many wait, further ones are left out`() {
        let performer = Performer()
        let events = RemoteEvents(performer: performer, logger: Logger(label: "test"))
        let begun = DispatchSemaphore(value: 0)
        performer.gate.wait()
        events.show(Self.moved) { _, _ in begun.signal() }
        begun.wait()
        for _ in 0..<RemoteEvents.mostWaiting + 10 { events.show(Self.created) { _, _ in } }
        performer.gate.signal()
        events.drain()
        #expect(performer.performed.count == 1 + RemoteEvents.mostWaiting)
    }
}

/// Whose requests are reenactments.
struct ReenactmentStageTests {
    private let stage = ReenactmentStage()
    private let cue = Reenactment.Call.lookup(folder: .root, name: ReenactmentStage.cue)
    private let thread = gettid()

    @Test func `nobody is the performer before it enters and after it leaves`() {
        #expect(!stage.isPerformer(thread))
        #expect(!stage.isPerformer(0))
        stage.enter()
        #expect(stage.isPerformer(thread))
        #expect(!stage.isPerformer(thread + 1))
        stage.leave()
        #expect(!stage.isPerformer(thread))
    }

    @Test func `it is known once it has looked up the cue, and no longer when it has left`() {
        stage.enter()
        #expect(stage.answer(to: .lookup(folder: .root, name: "Documents")) == .notOurs)
        #expect(!stage.isPerformerKnown)
        #expect(stage.answer(to: cue) == .notOurs)
        #expect(stage.isPerformerKnown)
        stage.leave()
        #expect(!stage.isPerformerKnown)
    }

    @Test func `its calls are answered by the change under way, and between two changes none does anything`() {
        stage.enter()
        _ = stage.answer(to: cue)
        let document = ListedPath.document("new.txt")
        let make = Reenactment.Call.make(folder: .cloud, name: "new.txt")
        #expect(stage.answer(to: make) == .refused)
        let result = stage.perform(Reenactment(change: .created(document))) {
            #expect(stage.answer(to: make) == .entry(document.entry))
            return 17
        }
        #expect(result == 17)
        #expect(stage.answer(to: make) == .refused)
        #expect(stage.answer(to: .lookup(folder: .cloud, name: "new.txt")) == .notOurs)
    }
}
