import Logging
import Synchronization

/// A log handler that records errors: docfs must log none in any world. Nor may any device find that another one made another state of the
/// same log, whatever was done to the container, or that its store's files are others than it left, which nobody else changes.
struct FailureLog: LogHandler {
    let name: String
    let ledger: Ledger
    let end: LifeEnd
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    func log(event: LogEvent) {
        // Messages after a device's end do not count.
        if end.hasCome { return }
        let text = event.metadata.map { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ") } ?? ""
        let isSurprise = "\(event.message)".hasPrefix("the store's files differ from the catalog")
        guard event.level >= .error || isSurprise || text.contains("another device had another state") else { return }
        ledger.fail("\(name): \(event.message) \(text)")
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}

/// Whether a life of a device has ended.
final class LifeEnd: Sendable {
    private let flag = Atomic<Bool>(false)

    var hasCome: Bool { flag.load(ordering: .relaxed) }

    func come() { flag.store(true, ordering: .relaxed) }
}
