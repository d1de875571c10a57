import Ciphers
import ObjectStore
import Synchronization

/// The keys of the encrypted container of a mount: what its device keeps of them, and what follows from each.
public final class ContainerKeys: Sendable {
    /// Changes what is kept, durably when it returns.
    public typealias Keeping = @Sendable (_ change: (inout KeptKeys) throws -> Void) throws -> KeptKeys

    /// A key, and what names are encrypted with.
    struct Period: Sendable {
        let key: ContainerKey
        let start: Int64
        let nameKey: SecretBytes
    }

    private struct State: Sendable {
        var kept: KeptKeys
        var periods: [Period]

        init(_ kept: KeptKeys, _ former: [Period] = []) {
            self.kept = kept
            periods = kept.ring.periods.map { period in
                former.first { $0.key == period.key && $0.start == period.start }
                    ?? Period(key: period.key, start: period.start, nameKey: period.key.nameKey)
            }
        }
    }

    private let state: Mutex<State>
    private let keeping: Keeping

    /// - Parameters:
    ///   - kept: as it is now.
    ///   - keeping: where it is kept: another process may change it, too.
    public init(_ kept: KeptKeys, keeping: @escaping Keeping) {
        state = Mutex(State(kept))
        self.keeping = keeping
    }

    /// Keys that nobody else changes, and that are kept in memory alone.
    public static func inMemory(_ kept: KeptKeys) -> ContainerKeys {
        let memory = Mutex(kept)
        return ContainerKeys(kept) { change in
            try memory.withLock { kept in
                try change(&kept)
                return kept
            }
        }
    }

    /// What is kept, as far as this mount knows.
    public var kept: KeptKeys { state.withLock { $0.kept } }

    var periods: [Period] { state.withLock { $0.periods } }

    /// Changes what is kept. Durable when it returns. Blocks.
    @discardableResult
    func change<Result>(_ body: (inout KeptKeys) throws -> Result) throws -> Result {
        var result: Result?
        let kept = try keeping { result = try body(&$0) }
        state.withLock { $0 = State(kept, $0.periods) }
        // `!`: whoever keeps them has called `body`, or thrown.
        return result!
    }

    /// Takes over what another process has changed. Blocks.
    public func reload() throws { try change { _ in } }

    /// Follows an entry of the log that announces a key. Durable when it returns. Blocks.
    ///
    /// - Parameter bytes: the key object that the entry holds.
    public func follow(_ bytes: [UInt8], at position: Int64) throws -> KeptKeys.Announcement {
        guard let object = KeyObject(bytes) else { return .impossible }
        return try change { $0.follow(object, at: position) }
    }
}
