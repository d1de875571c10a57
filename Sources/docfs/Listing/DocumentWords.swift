/// What a person is told of a document's state. The words of `.state` are for programs; `docfs help states` explains both.
struct DocumentWords: Equatable {
    /// How much of a person's attention the words ask for.
    enum Weight { case usual, remarkable, warning, failure }

    /// One thing that is said. A page translates it by its name (`texts.js`).
    enum Word: String, CaseIterable {
        case failed, conflict, arriving, outdated, sending, waiting
        case here, cloud, kept, keptElsewhere

        /// - Parameter percent: of the transfer, with the sign.
        func english(_ percent: String) -> String {
            switch self {
            case .failed: "could not be saved"
            case .conflict: "conflict"
            case .arriving: "downloading" + percent
            case .outdated: "newer in the cloud"
            case .sending: "uploading" + percent
            case .waiting: "waiting for the cloud"
            case .here: "here"
            case .cloud: "in the cloud only"
            case .kept: "kept"
            case .keptElsewhere: "kept, and not here yet"
            }
        }
    }

    let words: [Word]
    let weight: Weight
    private let percent: String

    /// - Parameters:
    ///   - progress: percent of the transfer under way.
    ///   - isKept: whether the content always stays on this device.
    init(_ line: FolderStateLine, progress: Int? = nil, isKept: Bool = false) {
        percent = progress.map { " \($0) %" } ?? ""
        let flags = line.flags
        var words: [Word] = []
        if flags.contains("savingError") { words.append(.failed) }
        if flags.contains("inConflict") { words.append(.conflict) }
        switch line.downloading {
        case "downloading": words.append(.arriving)
        case "outdated": words.append(.outdated)
        case _ where flags.contains("editingDisabled"): words.append(.arriving)
        default: break
        }
        switch line.uploading {
        case "uploading": words.append(.sending)
        case "waiting" where !flags.contains("savingError"): words.append(.waiting)
        default: break
        }
        weight =
            flags.contains("savingError")
            ? .failure : flags.contains("inConflict") ? .warning : words.isEmpty ? .usual : .remarkable
        let usual: Word = isKept ? (line.isHere ? .kept : .keptElsewhere) : line.isHere ? .here : .cloud
        self.words = words.isEmpty ? [usual] : words
    }

    var text: String { words.map { $0.english(percent) }.joined(separator: ", ") }

    /// Whether there is nothing to say: a document that is here, with nothing else about it.
    var isPlain: Bool { words == [.here] }

    /// What is usual stands back.
    var styled: StyledText {
        switch weight {
        case .usual: StyledText(text, .faint)
        case .remarkable: StyledText(text, .bold)
        case .warning: StyledText(text, .yellow)
        case .failure: StyledText(text, .red)
        }
    }
}
