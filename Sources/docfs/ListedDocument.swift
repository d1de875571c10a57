import CLinux
import Documents
import Glibc

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
        text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5 else { return nil }
            return FolderStateLine(
                indicator: fields[0], state: fields[1], transfer: fields[2], filename: fields[3],
                displayName: fields[4])
        }
    }

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
}

/// A document as `docfs ls` shows it.
struct ListedDocument: Encodable {
    let indicator: String
    let state: String
    let transfer: String
    let filename: String
    let displayName: String
    let path: String
    /// Bytes; nil if the document went away meanwhile, or nobody asked.
    let size: Int64?
    /// ISO 8601 in UTC, whole seconds.
    let modified: String?
    private let modifiedSeconds: Int?

    private enum CodingKeys: String, CodingKey {
        case indicator, state, transfer, filename, displayName, path, size, modified
    }

    /// - Parameters:
    ///   - path: by the filename.
    ///   - isDetailed: whether size and time are wanted; they take a request for each document.
    init(_ line: FolderStateLine, path: String, isDetailed: Bool = true) {
        indicator = line.indicator
        state = line.state
        transfer = line.transfer
        filename = line.filename
        self.path = path
        // In a state file a name is one line: what controls a terminal is written with a backslash. The attribute has the name itself.
        let exactName =
            isDetailed && line.displayName.contains("\\") ? attributeText("user.displayName", of: path) : nil
        displayName = exactName ?? line.displayName
        var status = stat()
        let isThere = isDetailed && lstat(path, &status) == 0
        size = isThere ? Int64(status.st_size) : nil
        modified = isThere ? Timestamp(seconds: status.st_mtim.tv_sec, nanoseconds: 0).iso8601 : nil
        modifiedSeconds = isThere ? status.st_mtim.tv_sec : nil
    }

    var tableRow: [StyledText] {
        [
            StyledText(indicator, style), StyledText(state), StyledText(transfer), StyledText(filename),
            StyledText(displayName),
        ]
    }

    /// A mark that tells the indicator also without colour, and the display name.
    var columnCell: [StyledText] {
        [mark, " ", StyledText(displayName, transfer.hasPrefix("notDownloaded") ? .faint : nil)]
    }

    /// For a terminal: the name, and only what is remarkable about the state.
    var terminalRow: [StyledText] {
        [
            mark, StyledText(size.map(HumanText.size) ?? "?"),
            StyledText(modifiedSeconds.map(HumanText.localTime(secondsSince1970:)) ?? "?", .faint),
            StyledText(summary, style == .green ? .faint : style), columnCell[2], StyledText(filename, .faint),
        ]
    }

    /// `local`, `cloud`, or what is not as it usually is.
    private var summary: String {
        let flags = state.split(separator: ",").filter { $0 != "closed" && $0 != "normal" }
        let transfers = transfer.split(separator: ",").filter { !["-", "current", "uploaded"].contains($0) }
        let remarkable = flags + transfers
        if !remarkable.isEmpty { return remarkable.joined(separator: ", ") }
        return transfer == "-" ? "local" : "cloud"
    }

    var longRow: [StyledText] {
        [
            mark, StyledText(state), StyledText(transfer), StyledText(size.map(HumanText.size) ?? "?"),
            StyledText(modifiedSeconds.map(HumanText.localTime(secondsSince1970:)) ?? "?"), StyledText(filename),
            StyledText(displayName),
        ]
    }

    private var mark: StyledText {
        switch indicator {
        case "red": StyledText("✖", style)
        case "yellow": StyledText("▲", style)
        default: StyledText("●", style)
        }
    }

    private var style: StyledText.Style? { StyledText.Style(indicator: indicator) }
}

extension StyledText.Style {
    init?(indicator: String) {
        switch indicator {
        case "red": self = .red
        case "yellow": self = .yellow
        case "green": self = .green
        default: return nil
        }
    }
}
