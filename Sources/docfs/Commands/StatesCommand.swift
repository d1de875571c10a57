import ArgumentParser

/// A page of the help: `docfs help states`.
struct StatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "states", abstract: "Explain what is said of a document's state.",
        discussion: page)

    static let page = """
        For people (docfs ls and docfs status on a terminal):

          here                    the content is on this machine
          in the cloud only       opening it downloads it; it takes no room here
          kept                    it is always here (docfs keep)
          kept, and not here yet  it will be here when the cloud can be reached
          downloading 34 %        its content is on its way here
          newer in the cloud      an older version is here; opening it fetches the newer one
          waiting for the cloud   changed here, and not sent yet
          uploading 34 %          it is being sent
          conflict                two devices changed it; docfs resolve shows the versions
          could not be saved      the last save or upload failed; docfs status says why

        ● green: all is well. ▲ yellow: in conflict. ✖ red: could not be saved.

        For programs (the .state files; --json has the same, docfs help json). Of a document:

          state        the flags that hold (below)
          indicator    red with savingError, else yellow with inConflict, else green
          displayName  its name, without the extension
          filename     the name that was generated for it
          id           its UUID, the same on each device
          location     local or cloud
          size         bytes
          modified     when it was last changed, in UTC
          downloading  notDownloaded, downloading, current, or outdated (a newer version is not here yet); of the cloud only
          uploading    waiting, uploading or uploaded; of the cloud only
          progress     percent of the transfer under way
          conflicts    how many versions are in conflict
          error        the last failure, and what happens next

        Flags:

          normal             open, and nothing wrong
          closed             no program has it open
          inConflict         it has conflict versions
          savingError        its last save or upload failed
          editingDisabled    it is being downloaded, moved or replaced: not safe to edit now
          progressAvailable  a transfer is under way

        Of the whole mount (docfs status ~/docs):

          preferred         where documents made in Documents itself go: local or cloud
          preferred.moving  how many of the others have moved there
          preferred.stayed  what cannot move, and why
          local.documents   documents on this machine
          cloud.documents   documents in the cloud
          cloud.url         where the container is
          cloud.copy        there only where the container is on the disk of the documents themselves, and so is no second copy
          cloud.encrypted   yes where the keeper of the container cannot read it
          cloud.connection  online, offline, unauthorized (the credentials are refused), that the documents are being sent to this cloud \
        (--move-to-this-cloud), or an error
          cloud.error       why the cloud cannot be used
          cloud.pending     changes that are still to be sent
          cloud.unsent      bytes of contents that are still to be sent
          cloud.room        bytes that the contents of the cloud's documents take on this disk (docfs evict frees them)
          cloud.conflicts   versions in conflict
          store.error       there only where the disk of the documents takes no changes: why
          check.findings    there only where the last docfs check left something to repair: how much
          undo              what docfs undo would undo
          redo              what docfs redo would do again
          trash             what the trash takes on this disk (docfs trash)
          device            the name of this device
          data path         how contents are read and written: by the kernel alone (passthrough), or through docfs
        """

    func run() throws { throw CleanExit.helpRequest(self) }
}
