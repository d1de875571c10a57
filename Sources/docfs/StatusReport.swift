import Documents
import Glibc

/// The output of `docfs status` for one path.
enum StatusReport: Encodable {
    case document(ListedDocument, StateText)
    case mount(StateText, dataPath: String?)
    case folder(Listing)

    init(_ path: String) throws {
        let mount = try MountedTree(holding: path)
        guard try Listing.isFolder(path) else {
            let state = StateText(try readState(ofDocument: path))
            self = .document(ListedDocument(FolderStateLine(state), path: path, .all), state)
            return
        }
        if Self.isTop(path, of: mount) {
            self = .mount(StateText(try readState(ofFolder: mount.documents)), dataPath: mount.dataPath)
        } else {
            self = .folder(try Listing(path, .all))
        }
    }

    private static func isTop(_ path: String, of mount: MountedTree) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        let absolute = String(cString: real)
        return absolute == mount.mountpoint || absolute == mount.documents
    }

    func text(_ facts: TerminalFacts) throws -> String {
        switch self {
        case .folder(let listing):
            return facts.isTerminal ? sentence(facts) + (try listing.long(facts)) : try listing.table(facts)
        case .document(_, let state): return lines(of: state, facts)
        case .mount(let state, let dataPath):
            return lines(of: StateText(state.pairs + [("data path", dataPath ?? "unknown")]), facts)
        }
    }

    private func lines(of state: StateText, _ facts: TerminalFacts) -> String {
        guard facts.isTerminal || facts.hasColor else {
            return state.pairs.map { "\($0.key): \($0.value)\n" }.joined()
        }
        var table = TextTable(state.pairs.map { [StyledText($0.key, .faint), Self.humanValue($0, in: state)] })
        table.hasColor = facts.hasColor
        return sentence(facts) + table.text
    }

    /// What is most worth knowing.
    private func sentence(_ facts: TerminalFacts) -> String {
        let sentence: [StyledText] =
            switch self {
            case .document(let document, _):
                [StyledText(document.fullName, .bold), ": ", document.words.styled]
            case .mount(let state, _): MountSentence(state).words
            case .folder(let listing): [StyledText(listing.summary)]
            }
        return sentence.map { $0.rendered(hasColor: facts.hasColor) }.joined() + "\n"
    }

    private static func humanValue(_ pair: (key: String, value: String), in state: StateText) -> StyledText {
        switch pair.key {
        case "size", "cloud.unsent", "cloud.room": StyledText(Int64(pair.value).map(HumanText.size) ?? pair.value)
        case "modified": StyledText(HumanText.localTime(iso8601: pair.value))
        case "trash": StyledText(Self.trash(pair.value))
        case "progress": StyledText(pair.value + " %")
        case "state", "indicator": StyledText(pair.value, attention(state["indicator"]))
        case "error", "store.error": StyledText(pair.value, .red)
        case "cloud.connection": StyledText(pair.value, pair.value == "online" ? .faint : .yellow)
        case "cloud.error": StyledText(pair.value, .yellow)
        case "conflicts", "cloud.conflicts": StyledText(pair.value, pair.value == "0" ? nil : .yellow)
        case "check.findings": StyledText(pair.value, .red)
        case "displayName": StyledText(pair.value, .bold)
        default: StyledText(pair.value)
        }
    }

    /// What is normal stands back.
    private static func attention(_ indicator: String?) -> StyledText.Style? {
        indicator == Indicator.green.rawValue ? .faint : indicator.flatMap(StyledText.Style.init(indicator:))
    }

    /// `BYTES in N documents`, with a size for people.
    private static func trash(_ text: String) -> String {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let bytes = Int64(words[0]) else { return text }
        return "\(HumanText.size(bytes)) \(words[1])"
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .document(let document, let state): try DocumentRecord(document, state).encode(to: encoder)
        case .mount(let state, let dataPath): try MountRecord(state, dataPath: dataPath).encode(to: encoder)
        case .folder(let listing): try listing.documents.map { DocumentRecord($0) }.encode(to: encoder)
        }
    }
}
