import ArgumentParser

@main
struct DocfsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docfs",
        abstract: "Your documents, local and cloud, as ordinary files.",
        discussion: """
            Mount them with `docfs mount ~/docs`; then they are files in ~/docs/Documents/local and ~/docs/Documents/cloud. The other commands \
            take paths in there. Shells complete names after `docfs --generate-completion-script bash` (or zsh, fish).
            """,
        version: "0.9.0",
        subcommands: [
            MountCommand.self,
            UnmountCommand.self,
            MountsCommand.self,
            NewCommand.self,
            ListCommand.self,
            StatusCommand.self,
            ReorderCommand.self,
            SortCommand.self,
            WatchCommand.self,
            QueryCommand.self,
            WaitCommand.self,
            VersionsCommand.self,
            ResolveCommand.self,
            DownloadCommand.self,
            EvictCommand.self,
            KeepCommand.self,
            PreferCommand.self,
            CheckCommand.self,
            UndoCommand.self,
            RedoCommand.self,
            TrashCommand.self,
            EncryptCommand.self,
            PassphraseCommand.self, KeyCommand.self, DevicesCommand.self,
            BrowseCommand.self,
            StatesCommand.self,
            JSONCommand.self,
        ])

    static func main() {
        if let script = ShellCompletion.script(for: Array(CommandLine.arguments.dropFirst())) {
            print(script)
        } else {
            main(nil)
        }
    }
}
