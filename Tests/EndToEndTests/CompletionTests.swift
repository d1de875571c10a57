import MountSupport
import SystemPackage
import Testing

/// Completion in shells (Semantics, "The command").
@Suite(.mounting, .timeLimit(.minutes(2)))
struct CompletionTests {
    @Test func `bash completes display names`() async throws {
        try await withDevice { device in
            for name in ["Groceries.txt", "Packing list.txt"] { try (device.local / name).create() }
            try (device.local / "Great").makeFolder()
            let bin = device.folder / "bin"
            try bin.makeFolder()
            try (bin / "docfs").makeSymbolicLink(to: try DocfsBinary.path.string)
            let script = """
                PATH=$BIN:$PATH
                . <(docfs --generate-completion-script bash)
                complete_words() {
                    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9 COMP_KEY=9 COMPREPLY=()
                    COMP_POINT=${#COMP_LINE}
                    _docfs docfs "${@: -1}" "${@: -2:1}"
                    printf '%s;' "${COMPREPLY[@]}"
                    echo
                }
                complete_words docfs ls local/Gr
                complete_words docfs status local/Pack
                complete_words docfs versions show local/Gro
                complete_words docfs resol
                """
            let result = try await runProgram(
                "bash", ["-c", script], in: device.documents, environment: ["BIN": bin.string])
            #expect(
                result.lines == [
                    "local/Groceries.txt;local/Great/;", "local/Packing list.txt;", "local/Groceries.txt;", "resolve;",
                ], "\(result.standardOutput)\(result.standardError)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `each shell has a script`(shell: String) async throws {
        let result = try await runProgram(try DocfsBinary.path.string, ["--generate-completion-script", shell])
        #expect(result.exitStatus == 0)
        for command in ["ls", "query", "resolve"] { #expect(result.standardOutput.contains(command)) }
    }
}
