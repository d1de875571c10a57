import Documents
import CLinux
import Catalog
import Glibc
import SystemPackage

/// A file of the store that another one is renamed over. It gets a second name before, so that both can have their names back.
extension BackingStore {
    /// Where the second name is.
    package enum SecondName {
        /// Until the rows are committed.
        case inStaging
        /// For as long as a person may want the content back.
        case inTrash
    }

    private func place(_ second: SecondName, of inode: InodeNumber) -> (folder: BackingFolder, name: String) {
        switch second {
        case .inStaging: (staging, Self.asideName(inode))
        case .inTrash: (trash, Self.trashName(inode))
        }
    }

    /// Gives a file a second name.
    ///
    /// - Throws: ENOENT if it is gone; EPERM, EOPNOTSUPP or EMLINK where the file system of the store gives a file no second name.
    package func keep(
        _ name: String, of inode: InodeNumber, in folder: BackingFolder, _ second: SecondName
    ) throws(Errno) {
        let place = place(second, of: inode)
        try folder.link(name, to: place.folder, place.name)
    }

    /// What was to replace a file that has a second name did not happen as a whole: both files get their names back.
    ///
    /// - Parameters:
    ///   - name: of the file that was kept, in `folder`.
    ///   - newName: the former name of the file that replaced it, in `newFolder`.
    package func undoReplacement(
        of name: String, _ inode: InodeNumber, in folder: BackingFolder, _ second: SecondName, by newName: String,
        in newFolder: BackingFolder
    ) throws(Errno) {
        let place = place(second, of: inode)
        let kept = try place.folder.identify(place.name).evidence
        if try folder.identifyIfPresent(name)?.evidence == kept { return try place.folder.removeFile(place.name) }
        _ = try folder.renameIfPresent(name, to: newFolder, newName, flags: RENAME_NOREPLACE)
        _ = try place.folder.renameIfPresent(place.name, to: folder, name, flags: RENAME_NOREPLACE)
    }

    /// Whether a file that was set aside has another name.
    package func isSecondName(setAside inode: InodeNumber) throws(Errno) -> Bool {
        try staging.status(Self.asideName(inode)).st_nlink > 1
    }
}
