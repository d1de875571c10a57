import Documents
import LinuxFiles
import ObjectStore
import SystemPackage

/// The world's object store, as one client sees it.
struct SimulatedStore: ObjectStore {
    private let ask: @Sendable (Operation) async throws(ObjectStoreError) -> Answer

    /// Through the simulated network, for one life of one device.
    init(network: SimulatedNetwork, device: Int, life: Int) {
        ask = { operation async throws(ObjectStoreError) in
            try await network.ask(operation, device: device, life: life)
        }
    }

    /// Without the network.
    init(atHand network: SimulatedNetwork) {
        ask = { operation async throws(ObjectStoreError) in try network.carryOut(operation).get() }
    }

    func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        guard case .put(let outcome) = try await ask(.put(key, bytes)) else { throw .outOfSpace }
        return outcome
    }

    func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        let start = Self.read(content, 0..<Int(length) / 2)
        guard progress(Int64(start.count)) else { throw .failed(key, .canceled) }
        let operation = Operation.putFile(key, start: start, content, length: Int(length))
        guard case .put(let outcome) = try await ask(operation) else { throw .outOfSpace }
        guard progress(length - Int64(start.count)) else { throw .failed(key, .canceled) }
        return outcome
    }

    func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        guard case .bytes(let bytes) = try await ask(.get(key, limit: limit)) else { throw .outOfSpace }
        return bytes
    }

    func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        guard case .bytes(let bytes) = try await ask(.getRange(key, range)) else { throw .outOfSpace }
        return bytes
    }

    func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        guard case .keys(let keys) = try await ask(.list(prefix, after: after, limit: limit)) else { throw .outOfSpace }
        return keys
    }

    func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        guard case .time(let time) = try await ask(.modified(key)) else { throw .outOfSpace }
        return time
    }

    func now() async throws(ObjectStoreError) -> Timestamp {
        guard case .time(let time) = try await ask(.now) else { throw .outOfSpace }
        return time
    }

    func delete(_ key: ObjectKey) async throws(ObjectStoreError) { _ = try await ask(.delete(key)) }

    static func read(_ content: any ObjectContent, _ range: Range<Int>) -> [UInt8] {
        // `try?`: what cannot be read is not sent.
        (try? content.read(at: Int64(range.lowerBound), count: range.count)) ?? []
    }
}
