import ArgumentParser

extension CompletionKind {
    /// Versions of the document that stands before on the line.
    static var versions: CompletionKind {
        .custom { words, _, prefix in VersionCompletion.candidates(after: words, for: prefix.unquotedWord) }
    }

    /// What `docfs resolve --keep` takes.
    static var choices: CompletionKind {
        .custom { words, _, prefix in
            ["current", "all"].filter { $0.hasPrefix(prefix.unquotedWord) }
                + VersionCompletion.candidates(after: words, for: prefix.unquotedWord, areConflicts: true)
        }
    }
}

/// The completions that a shell offers for a version of a document.
enum VersionCompletion {
    /// A shell cannot show an error: where the document cannot be found, nothing is offered.
    static func candidates(after words: [String], for begun: String, areConflicts: Bool = false) -> [String] {
        guard let document = document(in: words.map(\.unquotedWord)),
            let versions = try? DocumentVersions(of: document)
        else { return [] }
        return (areConflicts ? versions.conflicts : versions.all).map(\.name).filter { $0.hasPrefix(begun) }
    }

    /// The document that a command line is about: the first word after the command and its subcommand that is no option and no value of one.
    static func document(in words: [String]) -> String? {
        var rest = words.dropFirst()
        guard let command = rest.popFirst() else { return nil }
        if command == "versions", let next = rest.first,
            VersionsCommand.configuration.subcommands.contains(where: { $0.configuration.commandName == next })
        {
            rest.removeFirst()
        }
        while let word = rest.popFirst() {
            if word == "--keep" { _ = rest.popFirst() }
            if !word.hasPrefix("-") { return word }
        }
        return nil
    }
}
