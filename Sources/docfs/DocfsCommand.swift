import ArgumentParser

@main
struct DocfsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docfs",
        abstract: "Your documents, local and cloud, as ordinary files.",
        subcommands: [
            MountCommand.self, UnmountCommand.self, ListCommand.self, StatusCommand.self, CheckCommand.self,
            UndoCommand.self, RedoCommand.self,
        ])
}
