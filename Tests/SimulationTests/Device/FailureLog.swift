import Logging

/// Takes what docfs calls an error for what it is: something that must not happen in any world.
struct FailureLog: LogHandler {
    let name: String
    let ledger: Ledger
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error

    func log(event: LogEvent) {
        // What goes on after a device's end has no effect, and no meaning.
        let text = event.metadata.map { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ") } ?? ""
        if text.contains("onnection is closed") { return }
        ledger.fail("\(name): \(event.message) \(text)")
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
