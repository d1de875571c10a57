import Documents
import Glibc
import ObjectStore
import Synchronization

/// Requests on their way to the store, and their answers. The world chooses which request is answered next, and how.
final class SimulatedNetwork: Sendable {
    private struct State {
        var waiting: [Request] = []
        /// The lives of devices that have ended.
        var buried: [Request] = []
        /// Writes whose sender has given up. They may still arrive.
        var late: [Operation] = []
        var lastRequest = 0
        /// As the keeper has them.
        var objects: [ObjectKey: [UInt8]] = [:]
        /// All log entries that ever existed.
        var allEntries: [[UInt8]] = []
        /// When each object was created, by the store's clock.
        var times: [ObjectKey: Timestamp] = [:]
    }

    private let state = Mutex(State())
    private let clock: SimulatedClock
    let form: ObjectForm

    init(clock: SimulatedClock, form: ObjectForm) {
        self.clock = clock
        self.form = form
    }

    // MARK: For devices

    func ask(_ operation: Operation, device: Int, life: Int) async throws(ObjectStoreError) -> Answer {
        let result = await withCheckedContinuation { continuation in
            state.withLock { state in
                state.lastRequest += 1
                state.waiting.append(
                    Request(
                        number: state.lastRequest, life: life, device: device, operation: operation,
                        continuation: continuation))
            }
        }
        return try result.get()
    }

    // MARK: For the world

    var waiting: [Request] { state.withLock(\.waiting) }

    var lateCount: Int { state.withLock(\.late.count) }

    /// All objects, as a device reads them.
    var objects: [ObjectKey: [UInt8]] {
        let stored = state.withLock(\.objects)
        // Where one is under several keys, it is the same.
        return Dictionary(
            stored.compactMap { place, bytes in
                let object = form.object(at: place)
                return form.open(bytes, of: object).map { (object, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// One object, as a device reads it.
    func object(_ key: ObjectKey) -> [UInt8]? {
        form.places(of: key).lazy.compactMap { self.kept(at: $0) }.first.flatMap { form.open($0, of: key) }
    }

    /// What the keeper has at a place.
    func kept(at place: ObjectKey) -> [UInt8]? { state.withLock { $0.objects[place] } }

    var allEntries: [[UInt8]] { state.withLock(\.allEntries) }

    /// Restores an older log or removes a part of it, without the devices. Contents stay.
    func replaceLog(by objects: [ObjectKey: [UInt8]]) {
        let now = clock.wallTime(skew: 0)
        state.withLock { state in
            for place in state.objects.keys where form.object(at: place).components[0] != "documents" {
                state.objects[place] = nil
                state.times[place] = nil
            }
            for (key, bytes) in objects where key.components[0] != "documents" {
                // The key of a container that is damaged is never changed.
                let place = form.places(of: key)[0]
                state.objects[place] = form.seal(bytes, of: key)
                state.times[place] = now
            }
        }
    }

    /// Puts two objects into each other's place, as only their keeper can.
    func exchange(_ first: ObjectKey, _ second: ObjectKey) {
        let (first, second) = (form.places(of: first)[0], form.places(of: second)[0])
        state.withLock { state in
            let bytes = state.objects[first]
            state.objects[first] = state.objects[second]
            state.objects[second] = bytes
        }
    }

    func time(of key: ObjectKey) -> Timestamp? {
        let times = state.withLock(\.times)
        return form.places(of: key).lazy.compactMap { times[$0] }.first
    }

    func isIdle(_ device: Int) -> Bool { state.withLock { !$0.waiting.contains { $0.device == device } } }

    /// Carries out an operation in the store.
    func carryOut(_ operation: Operation) -> Result<Answer, ObjectStoreError> {
        let now = clock.wallTime(skew: 0)
        return state.withLock { state in
            switch operation {
            case .put(let key, let bytes): return .success(.put(put(bytes, key, now, &state)))
            case .putFile(let key, let start, let content, let length):
                guard let bytes = Self.whole(start, content, length) else {
                    return .failure(.corrupted(key, "the document became shorter while it was sent"))
                }
                return .success(.put(put(bytes, key, now, &state)))
            case .get(let key, let limit):
                guard let bytes = state.objects[key] else { return .failure(.notFound(key)) }
                return bytes.count > limit ? .failure(.corrupted(key, "too large")) : .success(.bytes(bytes))
            case .getRange(let key, let range):
                guard let bytes = state.objects[key] else { return .failure(.notFound(key)) }
                let known = range.clamped(to: 0..<Int64(bytes.count))
                return .success(.bytes(Array(bytes[Int(known.lowerBound)..<Int(known.upperBound)])))
            case .list(let prefix, let after, let limit):
                let start = prefix.description + "/"
                let keys = state.objects.keys.filter { $0.description.hasPrefix(start) }
                    .filter { key in after.map { $0 < key } ?? true }
                return .success(.keys(Array(keys.sorted().prefix(limit))))
            case .modified(let key):
                guard let time = state.times[key] else { return .failure(.notFound(key)) }
                return .success(.time(time))
            case .now: return .success(.time(now))
            case .delete(let key):
                state.objects[key] = nil
                state.times[key] = nil
                return .success(.done)
            }
        }
    }

    private func put(
        _ bytes: [UInt8], _ key: ObjectKey, _ now: Timestamp, _ state: inout State
    ) -> PutOutcome {
        if state.objects[key] != nil { return .alreadyExists }
        let object = form.object(at: key)
        if object.components[0] == "log", let entry = form.open(bytes, of: object) { state.allEntries.append(entry) }
        state.objects[key] = bytes
        state.times[key] = now
        return .created
    }

    private static func whole(_ start: [UInt8], _ content: any ObjectContent, _ length: Int) -> [UInt8]? {
        let rest = SimulatedStore.read(content, start.count..<length)
        return start.count + rest.count == length ? start + rest : nil
    }

    /// Answers a request.
    func answer(_ request: Request, _ result: Result<Answer, ObjectStoreError>) {
        state.withLock { $0.waiting.removeAll { $0.number == request.number } }
        request.continuation.resume(returning: result)
    }

    /// Keeps a write whose sender gave up, to arrive later.
    func delay(_ operation: Operation) {
        var operation = operation
        if case .putFile(let key, let start, let content, let length) = operation {
            guard let bytes = Self.whole(start, content, length) else { return }
            operation = .put(key, bytes)
        }
        state.withLock { $0.late.append(operation) }
    }

    func deliverLate(_ index: Int) {
        let operation = state.withLock { $0.late.remove(at: index) }
        _ = carryOut(operation)
    }

    /// Ends a life of a device: its requests get no answers.
    func bury(life: Int) {
        state.withLock { state in
            state.buried += state.waiting.filter { $0.life == life }
            state.waiting.removeAll { $0.life == life }
        }
    }

    /// Answers everything at the end of the world, so that no task waits forever.
    func failAll() {
        let all = state.withLock { state in
            defer { (state.waiting, state.buried) = ([], []) }
            return state.waiting + state.buried
        }
        for request in all { request.continuation.resume(returning: .failure(.unreachable("the world has ended"))) }
    }
}
