/// Lets a few tasks at a time use something.
public actor Slots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init(count: Int) { free = count }

    /// Runs `body` as soon as a slot is free. A body that asks for another slot of the same kind may wait for ever.
    ///
    /// - Parameter isFirst: whether it goes before those that wait.
    public nonisolated func use<Value>(isFirst: Bool = false, _ body: () async throws -> Value) async throws -> Value {
        await acquire(isFirst)
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
    }

    private func acquire(_ isFirst: Bool) async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.insert($0, at: isFirst ? 0 : waiting.endIndex) }
    }

    private func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
