import ArgumentParser

@main
struct DocfsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docfs",
        abstract: "Your documents, local and cloud, as ordinary files.",
        version: "0.9.0",
        subcommands: [
            MountCommand.self,
            UnmountCommand.self,
            NewCommand.self,
            ListCommand.self,
            StatusCommand.self,
            DownloadCommand.self,
            EvictCommand.self,
            KeepCommand.self,
            CheckCommand.self,
        ])
}
