import CLinux
import Documents
import Glibc

/// A document as the commands show it.
struct ListedDocument {
    /// What is asked of the document itself, beside the line in the state of its folder. Each takes a request.
    enum Detail {
        /// Nothing.
        case line
        /// The name that can be typed, the progress of a transfer, and whether it is kept.
        case name
        /// Also size and time.
        case all
    }

    let line: FolderStateLine
    /// By the filename.
    let path: String
    let displayName: String
    /// Nil if nobody asked.
    let pathExtension: String?
    /// Percent of the transfer under way.
    let progress: Int?
    let isKept: Bool
    /// Bytes; nil if the document went away meanwhile, or nobody asked.
    let size: Int64?
    /// Seconds since 1970.
    let modified: Int?

    init(_ line: FolderStateLine, path: String, _ detail: Detail) {
        self.line = line
        self.path = path
        let isNamed = detail != .line
        // In a state file a name is one line: what controls a terminal is written with a backslash. The attribute has the name itself.
        let exactName =
            isNamed && line.displayName.contains("\\") ? attributeText("user.displayName", of: path) : nil
        displayName = exactName ?? line.displayName
        pathExtension = isNamed ? attributeText("user.document.extension", of: path) ?? "" : nil
        progress =
            isNamed && line.flags.contains("progressAvailable")
            ? attributeText("user.document.progress", of: path).flatMap { Int($0) } : nil
        var status = stat()
        let isThere = detail == .all && lstat(path, &status) == 0
        size = isThere ? Int64(status.st_size) : nil
        modified = isThere ? status.st_mtim.tv_sec : nil
        // A local document always is here.
        isKept =
            isNamed && line.downloading != nil && attributeText(CloudDocument.keep, of: path) == "always"
    }

    /// The name that a person types: display name and extension.
    var fullName: String {
        DocumentName(storedDisplayName: displayName, pathExtension: pathExtension ?? "").full
    }

    var words: DocumentWords { DocumentWords(line, progress: progress, isKept: isKept) }

    /// For scripts: the fields of the folder's state.
    var tableRow: [StyledText] {
        [
            StyledText(line.indicator, style), StyledText(line.state), StyledText(line.transfer),
            StyledText(line.filename), StyledText(line.displayName),
        ]
    }

    /// For scripts, with size and time.
    var longRow: [StyledText] {
        [
            mark, StyledText(line.state), StyledText(line.transfer), sizeText, timeText(nil),
            StyledText(line.filename), StyledText(displayName),
        ]
    }

    /// For a terminal: a mark that tells the indicator also without colour, the name, and the words unless the document is just here.
    ///
    /// - Parameters:
    ///   - isAmbiguous: whether something beside it answers to the name, too: then only the filename surely leads to this one.
    ///   - nameLimit: the most columns that the name may take.
    func cell(isAmbiguous: Bool, nameLimit: Int) -> [StyledText] {
        var cell = [mark, " ", name.cut(toColumns: nameLimit)]
        if isAmbiguous { cell.append(StyledText(" " + line.filename.shellWord, .faint)) }
        if !words.isPlain { cell.append(StyledText(" (\(words.text))", words.styled.style)) }
        return cell
    }

    /// For a terminal, one document a line.
    var terminalRow: [StyledText] {
        [mark, sizeText, timeText(.faint), words.styled, name, StyledText(line.filename.shellWord, .faint)]
    }

    private var name: StyledText { StyledText(fullName.shellWord, line.isHere ? nil : .faint) }

    private var sizeText: StyledText { StyledText(size.map(HumanText.size) ?? "?") }

    private func timeText(_ style: StyledText.Style?) -> StyledText {
        StyledText(modified.map(HumanText.localTime(secondsSince1970:)) ?? "?", style)
    }

    private var mark: StyledText {
        switch line.indicator {
        case "red": StyledText("✖", style)
        case "yellow": StyledText("▲", style)
        default: StyledText("●", style)
        }
    }

    private var style: StyledText.Style? { StyledText.Style(indicator: line.indicator) }
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
