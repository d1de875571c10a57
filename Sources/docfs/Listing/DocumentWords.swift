/// What a person is told of a document's state. The words of `.state` are for programs; `docfs help states` explains both.
struct DocumentWords: Equatable {
    /// How much of a person's attention the words ask for.
    enum Weight { case usual, remarkable, warning, failure }

    let text: String
    let weight: Weight

    /// - Parameters:
    ///   - progress: percent of the transfer under way.
    ///   - isKept: whether the content always stays on this device.
    init(_ line: FolderStateLine, progress: Int? = nil, isKept: Bool = false) {
        let percent = progress.map { " \($0) %" } ?? ""
        let flags = line.flags
        var words: [String] = []
        if flags.contains("savingError") { words.append("could not be saved") }
        if flags.contains("inConflict") { words.append("conflict") }
        switch line.downloading {
        case "downloading": words.append("downloading" + percent)
        case "outdated": words.append("newer in the cloud")
        case _ where flags.contains("editingDisabled"): words.append("downloading" + percent)
        default: break
        }
        switch line.uploading {
        case "uploading": words.append("uploading" + percent)
        case "waiting" where !flags.contains("savingError"): words.append("waiting for the cloud")
        default: break
        }
        weight =
            flags.contains("savingError")
            ? .failure : flags.contains("inConflict") ? .warning : words.isEmpty ? .usual : .remarkable
        let isHere = line.downloading != "notDownloaded"
        let usual =
            isKept ? (isHere ? "kept" : "kept, and not here yet") : isHere ? Self.here : "in the cloud only"
        text = words.isEmpty ? usual : words.joined(separator: ", ")
    }

    /// Whether there is nothing to say: a document that is here, with nothing else about it.
    var isPlain: Bool { text == Self.here }

    private static let here = "here"

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
