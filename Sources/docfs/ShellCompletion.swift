import ArgumentParser

/// The completion scripts of the argument parser, with other functions for names of documents. Those of the parser do not fit names that
/// a person chose: bash would run a command that stands in a name, zsh takes what follows a colon for a description, and fish asks for
/// the place of the cursor, which it does not have everywhere.
enum ShellCompletion {
    private static let option = "--generate-completion-script"

    /// - Returns: the script that the arguments ask for, with or without `=` before the name of the shell; nil if they ask for something
    ///   else or for a shell that is unknown.
    static func script(for arguments: [String]) -> String? {
        let words = arguments.flatMap {
            $0.hasPrefix(option + "=") ? [option, String($0.dropFirst(option.count + 1))] : [$0]
        }
        guard words.count == 2, words[0] == option, let shell = CompletionShell(rawValue: words[1]) else { return nil }
        return adapted(DocfsCommand.completionScript(for: shell), for: shell)
    }

    private static func adapted(_ script: String, for shell: CompletionShell) -> String {
        switch shell {
        case .bash:
            let call = "\"$(__docfs_custom_complete"
            let adapted = script.replacing("__docfs_add_completions -W " + call, with: "__docfs_add_documents " + call)
            return inserting(bashFunction, before: "__docfs_custom_complete() {", in: adapted)
        case .zsh:
            let adapted = script.replacing("{__docfs_custom_complete ", with: "{__docfs_complete_documents ")
            return inserting(zshFunction, before: "__docfs_custom_complete() {", in: adapted)
        case .fish:
            return script.replacing("(__docfs_tokens -tC)", with: "(string length -- \"$(commandline -ct)\")")
        default: return script
        }
    }

    private static func inserting(_ text: String, before line: String, in script: String) -> String {
        script.replacing(line, with: text + "\n" + line, maxReplacements: 1)
    }

    /// `compgen -W` would expand the names. The shell itself adds a slash to a folder.
    private static let bashFunction = """
        __docfs_add_documents() {
            local name
            while IFS='' read -r name; do
                [[ -z "${name}" ]] || COMPREPLY+=("${name%/}")
            done <<<"${1}"
        }

        """

    /// The last two arguments of the parser's call are the number of the word and the place of the cursor in it, which the parser counts wrongly
    /// within quotes. The last line of the answer is a space. No space follows a folder.
    private static let zshFunction = """
        __docfs_complete_documents() {
            local -r typed="${QIPREFIX}${IPREFIX}${PREFIX}"
            local -a names
            names=("${(@f)"$("${command_name}" "${@[1,-2]}" "${#typed}" "${command_line[@]:0:${current_word_index}}" "${typed}")"}")
            names=("${(@)names[1,-2]}")
            local -a folders=("${(@M)names:#*/}") documents=("${(@)names:#*/}")
            (( ${#documents} == 0 )) || compadd -V documents -a documents
            (( ${#folders} == 0 )) || compadd -V folders -S '' -a folders
        }

        """
}

extension String {
    /// A word as the shell will understand it: without quotes and backslashes, also where the closing quote was not typed yet.
    var unquotedWord: String {
        var text = ""
        var quote: Character?
        var rest = self[...]
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", nil), ("\\", "\""):
                guard let next = rest.first else { return text }
                if quote == nil || "\\\"$`".contains(next) { rest.removeFirst() }
                text.append(quote == nil || "\\\"$`".contains(next) ? next : character)
            case ("'", nil), ("\"", nil): quote = character
            case (quote, _): quote = nil
            default: text.append(character)
            }
        }
        return text
    }
}
