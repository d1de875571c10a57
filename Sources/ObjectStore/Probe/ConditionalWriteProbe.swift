/// Finds out whether a store keeps its one condition: of several writers that create one key at once exactly one wins, and
/// later ones do not. In a store without it, two devices would overwrite each other.
struct ConditionalWriteProbe: Sendable {
    /// Two show it as well as many; and of SeaweedFS each who loses the race is answered a second later than the one before.
    static let writers: UInt8 = 2

    /// The content counts as wrong if it is wrong each time: a bit may change on the way.
    private static let readings = 3

    let store: any ObjectStore
    let key: ObjectKey

    /// - Parameter name: unique among all devices and times.
    init(store: any ObjectStore, name: String) {
        self.store = store
        key = ObjectKey(["probe", name])!
    }

    /// - Throws: `unusable` where the store is unfit.
    func run() async throws(ObjectStoreError) {
        let verdict = await judge()
        // If the connection is lost just now, one byte stays under a name that nobody else uses.
        do throws(ObjectStoreError) { try await store.delete(key) } catch { if case .success = verdict { throw error } }
        try verdict.get()
    }

    private func judge() async -> Result<Void, ObjectStoreError> {
        do throws(ObjectStoreError) {
            let winners = try await race()
            let lateWriter = Self.writers
            let isLate = try await store.putIfAbsent(key, [lateWriter]) == .alreadyExists
            for _ in 0..<Self.readings {
                let content = try await read()
                if Self.isFit(winners: winners, laterFails: isLate, content: content) { return .success(()) }
            }
            return .failure(Self.unfit)
        } catch { return .failure(error) }
    }

    /// The writers that were told that they had won. There may be none: the winner's answer and its repetition were lost.
    static func isFit(winners: [UInt8], laterFails: Bool, content: [UInt8]?) -> Bool {
        guard laterFails, winners.count <= 1, let content, content.count == 1 else { return false }
        return winners.isEmpty ? content[0] < writers : content == winners
    }

    private func race() async throws(ObjectStoreError) -> [UInt8] {
        let results = await withTaskGroup(of: Result<UInt8?, ObjectStoreError>.self) { group in
            for writer in 0..<Self.writers {
                group.addTask {
                    do throws(ObjectStoreError) {
                        return .success(try await store.putIfAbsent(key, [writer]) == .created ? writer : nil)
                    } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var winners: [UInt8] = []
        for result in results { if let winner = try result.get() { winners.append(winner) } }
        return winners
    }

    private func read() async throws(ObjectStoreError) -> [UInt8]? {
        do throws(ObjectStoreError) { return try await store.get(key, limit: 1) } catch {
            switch error {
            case .notFound, .corrupted: return nil
            default: throw error
            }
        }
    }

    /// The message for a store that does not keep the condition.
    static let unfit = ObjectStoreError.unusable(
        "it has no working conditional writes (If-None-Match), so two devices could overwrite each other")
}
