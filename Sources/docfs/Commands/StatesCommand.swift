import ArgumentParser

/// A page of the help: `docfs help states`.
struct StatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "states", abstract: "Explain what is said of a document's state.",
        discussion: """
            For people (docfs ls and docfs status on a terminal):

              here                   the content is on this machine
              in the cloud only      opening it downloads it; it takes no room here
              kept                   it is always here (docfs keep)
              downloading 34 %       its content is on its way here
              newer in the cloud     an older version is here; opening it fetches the newer one
              waiting for the cloud  changed here, and not sent yet
              uploading 34 %         it is being sent
              conflict               two devices changed it; docfs resolve shows the versions
              could not be saved     the last save or upload failed; docfs status says why

            ● green: all is well. ▲ yellow: in conflict. ✖ red: could not be saved.

            For programs (the .state files and --json). Flags in `state`:

              normal             open, and nothing wrong
              closed             no program has it open
              inConflict         it has conflict versions
              savingError        its last save or upload failed
              editingDisabled    it is being downloaded, moved or replaced: not safe to edit now
              progressAvailable  a transfer is under way

            downloading (documents of the cloud): notDownloaded, downloading, current, outdated (a newer version is not here yet).
            uploading (documents of the cloud): waiting, uploading, uploaded.
            progress: percent of the transfer. conflicts: how many versions are in conflict. error: the last failure, and what happens next.

            Of the whole mount (docfs status ~/docs): cloud.connection is online, offline, unauthorized (the credentials are refused), that the documents are being sent to this cloud (--move-to-this-cloud), or an \
            error; cloud.error says why. cloud.pending counts the changes that are still to be sent. cloud.copy is there where the container is \
            on the disk of the documents themselves, and so is no second copy.
            """)

    func run() throws { throw CleanExit.helpRequest(self) }
}
