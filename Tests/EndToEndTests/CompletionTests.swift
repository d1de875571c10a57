import MountSupport
import SystemPackage
import Testing

/// Completion in shells (Semantics, "The command").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct CompletionTests {
    @Test func `bash completes display names`() async throws {
        try await withDevice { device in
            for name in ["Groceries.txt", "Packing list.txt", "$(touch called).txt"] {
                try (device.local / name).create()
            }
            try (device.local / "Great").makeFolder()
            try (device.cloud / "Plan.txt").create("plan")
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            try await device.shell(
                "echo more >cloud/Plan.txt && $BINARY wait", environment: ["BINARY": DocfsBinary.path.string])
            let version = try await device.shell("ls cloud/Plan.txt.versions").line
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
                complete_words docfs ls 'local/$'
                complete_words docfs ls '"local/Pack'
                complete_words docfs ls 'local/Packing\\ l'
                complete_words docfs versions show cloud/Plan.txt Lap
                complete_words docfs resolve --keep cur
                """
            let result = try await runProgram(
                "bash", ["-c", script], in: device.documents, environment: ["BIN": bin.string])
            #expect(
                result.lines == [
                    "local/Groceries.txt;local/Great;", "local/Packing list.txt;", "local/Groceries.txt;", "resolve;",
                    "local/$(touch called).txt;", "local/Packing list.txt;", "local/Packing list.txt;", "\(version);",
                    "current;",
                ], "\(result.standardOutput)\(result.standardError)")
            // No command that stands in a name was run.
            #expect(try !device.documents.listing().contains("called"))
        }
    }

    @Test func `fish completes display names`() async throws {
        try await withDevice { device in
            for name in ["Groceries.txt", "Packing list.txt"] { try (device.local / name).create() }
            try (device.local / "Great").makeFolder()
            let bin = device.folder / "bin"
            try bin.makeFolder()
            try (bin / "docfs").makeSymbolicLink(to: try DocfsBinary.path.string)
            let script = #"""
                set -x PATH $BIN $PATH
                docfs --generate-completion-script fish | source
                for line in "docfs ls local/Gr" "docfs status local/Packing\ l" "docfs versions show \"local/Pack" "docfs resol"
                    string join ";" (complete -C "$line" | string replace -r "\t.*" "")
                end
                """#
            let result = try await runProgram(
                "fish", ["--no-config", "-c", script], in: device.documents,
                environment: ["BIN": bin.string, "HOME": device.folder.string])
            #expect(
                result.lines == [
                    "local/Groceries.txt;local/Great/", "local/Packing list.txt", "local/Packing list.txt", "resolve",
                ], "\(result.standardOutput)\(result.standardError)")
        }
    }

    /// Types into zsh on a pseudo-terminal: a command line, the Tab key, and the key that prints what the line has become.
    private static let zshOnTerminal = #"""
        import os, pty, select, sys
        folder, *lines = sys.argv[1:]
        process, terminal = pty.fork()
        if process == 0:
            os.environ.update(ZDOTDIR=folder, TERM="dumb")
            os.execvp("zsh", ["zsh", "-i"])
        read = b""
        def wait_for(text):
            global read
            while text not in read:
                if not select.select([terminal], [], [], 60)[0]:
                    sys.exit("no answer: %r" % read)
                read += os.read(terminal, 65536)
            before, _, read = read.partition(text)
            return before
        wait_for(b"ready>")
        for line in lines:
            os.write(terminal, line.encode() + b"\t\x18p")
            wait_for(b"line=")
            print(wait_for(b"=end").decode())
            wait_for(b"ready>")
        os.write(terminal, b"exit\n")
        os.waitpid(process, 0)
        """#

    @Test func `zsh completes display names`() async throws {
        try await withDevice { device in
            for name in ["Groceries.txt", "Packing list.txt", "a: b.txt"] { try (device.local / name).create() }
            try (device.local / "My folder").makeFolder()
            let bin = device.folder / "bin"
            try bin.makeFolder()
            try (bin / "docfs").makeSymbolicLink(to: try DocfsBinary.path.string)
            let script = try await runProgram(try DocfsBinary.path.string, ["--generate-completion-script", "zsh"])
            try (bin / "_docfs").create(script.standardOutput)
            let settings = """
                PATH=\(bin):$PATH
                fpath=(\(bin) $fpath)
                autoload -Uz compinit
                compinit -u -D
                unsetopt zle_bracketed_paste prompt_cr prompt_sp
                show-line() { printf 'line=%s=end' "$BUFFER"; BUFFER=; zle accept-line }
                zle -N show-line
                bindkey '^Xp' show-line
                PROMPT=ready'>'
                """
            try (bin / ".zshrc").create(settings)
            let result = try await runProgram(
                "python3",
                [
                    "-c", Self.zshOnTerminal, bin.string, "docfs ls local/Gr", "docfs ls \"local/Pack",
                    "docfs ls local/Packing\\ l",
                    "docfs keep local/My", "docfs ls local/a", "docfs resol",
                ], in: device.documents)
            #expect(
                result.lines == [
                    "docfs ls local/Groceries.txt ", "docfs ls \"local/Packing list.txt\" ",
                    "docfs ls local/Packing\\ list.txt ",
                    "docfs keep local/My\\ folder/", "docfs ls local/a:\\ b.txt ", "docfs resolve ",
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
