/// A document's line in the `.state` of its folder.
struct FolderStateLine: Equatable {
    let indicator: String
    /// Flags separated by commas.
    let state: String
    let transfer: String
    let filename: String
    let displayName: String

    static func read(_ folder: String) throws -> [FolderStateLine] { lines(try readState(ofFolder: folder)) }

    static func lines(_ text: String) -> [FolderStateLine] {
        text.split(separator: "\n").dropFirst().compactMap { FolderStateLine(text: String($0)) }
    }

    /// - Returns: nil for a line that is none of such a state.
    init?(text: String) {
        let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 5 else { return nil }
        self.init(
            indicator: fields[0], state: fields[1], transfer: fields[2], filename: fields[3], displayName: fields[4])
    }

    /// The line as it stands in the state.
    var text: String { [indicator, state, transfer, filename, displayName].joined(separator: "\t") }

    /// The line of a document whose own state is known.
    init(_ state: StateText) {
        let transfer = [state["downloading"], state["uploading"]].compactMap { $0 }.joined(separator: ",")
        self.init(
            indicator: state["indicator"] ?? "", state: (state["state"] ?? "").replacing(" ", with: ","),
            transfer: transfer.isEmpty ? "-" : transfer, filename: state["filename"] ?? "",
            displayName: state["displayName"] ?? "")
    }

    init(indicator: String, state: String, transfer: String, filename: String, displayName: String) {
        self.indicator = indicator
        self.state = state
        self.transfer = transfer
        self.filename = filename
        self.displayName = displayName
    }

    var flags: [String] { state.split(separator: ",").map(String.init) }

    /// `notDownloaded`, `downloading`, `current` or `outdated`; nil for a local document.
    var downloading: String? { transfer(at: 0) }

    /// Whether its content, or an older one, is on this device.
    var isHere: Bool { downloading != "notDownloaded" }

    /// `waiting`, `uploading` or `uploaded`; nil for a local document.
    var uploading: String? { transfer(at: 1) }

    private func transfer(at index: Int) -> String? {
        let words = transfer.split(separator: ",").map(String.init)
        return words.count == 2 ? words[index] : nil
    }
}
