import CLinux
import Glibc

/// Follows documents: single ones, and all in some folders and the folders in these, to any depth.
///
/// poll(2) on the state file of each folder tells of states, names, and documents that come and go; inotify tells of folders, and of what a state
/// does not say (attributes, sizes). A document with a transfer under way is followed by its own state as well, which has the
/// progress.
final class DocumentFollower {
    private final class Document {
        let state: OpenStateFile
        var text: StateText
        /// Whether only its progress is of interest, since its folder is followed.
        let isTransfer: Bool

        init(_ path: String, isTransfer: Bool) throws {
            state = try OpenStateFile(ofDocument: path)
            text = StateText(try state.text())
            self.isTransfer = isTransfer
        }
    }

    private let notifications: FolderNotifications
    /// The mounts that hold what is followed.
    private var mounts: Set<String> = []
    private var folders: [String: FollowedFolder] = [:]
    private var documents: [String: Document] = [:]
    /// Changes that nobody has asked for yet.
    private var waiting: [DocumentChange] = []

    /// - Parameter paths: of documents and folders in mounts.
    init(_ paths: [String]) throws {
        notifications = try FolderNotifications()
        DescriptorLimit.raise()
        for path in paths {
            mounts.insert(try MountedTree(holding: path).mountpoint)
            for root in try DocumentTree.roots(of: path) {
                if try Listing.isFolder(root) {
                    try follow(root)
                } else {
                    documents[root] = try Document(root, isTransfer: false)
                }
            }
        }
    }

    /// All that is followed now, in the order of the folders' paths.
    var present: [(path: String, line: FolderStateLine)] {
        folders.values.sorted { $0.path < $1.path }.flatMap { folder in
            folder.lines.map { (folder.path + "/" + $0.filename, $0) }
        }
            + documents.filter { !$0.value.isTransfer }.sorted { $0.key < $1.key }.map {
                ($0.key, FolderStateLine($0.value.text))
            }
    }

    // MARK: Waiting

    /// Waits until something has changed.
    ///
    /// - Throws: `MountHasEnded`. What ends with the mount was not removed.
    func next() throws -> [DocumentChange] {
        do { try wait() } catch {
            try requireMounts()
            throw error
        }
        if waiting.contains(where: { $0.new == nil }) { try requireMounts() }
        defer { waiting = [] }
        return waiting
    }

    private func requireMounts() throws {
        // `Documents` cannot be removed: where it is not there, the mount is not.
        for mount in mounts where access(mount + "/Documents", F_OK) != 0 { throw MountHasEnded(mountpoint: mount) }
    }

    private func wait() throws {
        while waiting.isEmpty {
            guard !folders.isEmpty || !documents.isEmpty else {
                throw CommandFailure("nothing is left to watch: it was removed")
            }
            let openFolders = Array(folders.values)
            let openDocuments = Array(documents)
            let states = openFolders.map(\.state) + openDocuments.map(\.value.state)
            let ready = try Polling.wait(
                for: [Polling.Request(descriptor: notifications.descriptor, events: POLLIN)]
                    + states.map { Polling.Request(descriptor: $0.descriptor, events: POLLPRI) })
            var changed: [ObjectIdentifier: FollowedFolder] = [:]
            for index in ready where index > 0 {
                if index <= openFolders.count {
                    let folder = openFolders[index - 1]
                    changed[ObjectIdentifier(folder)] = folder
                } else {
                    let (path, document) = openDocuments[index - 1 - openFolders.count]
                    try look(at: document, path)
                }
            }
            if ready.first == 0 {
                for folder in try hear() { changed[ObjectIdentifier(folder)] = folder }
            }
            for folder in changed.values.sorted(by: { $0.path < $1.path }) { try look(at: folder) }
        }
    }

    // MARK: Looking again

    private func look(at folder: FollowedFolder) throws {
        guard folders[folder.path] === folder else { return }
        let lines: [FolderStateLine]
        do { lines = try folder.readLines() } catch {
            // It has gone, and another one may have its name already.
            forget(folder.path)
            return announce(try DocumentTree.unlessGone(folder.path, follow) ?? [])
        }
        let changes = DocumentChange.between(folder.lines, lines, in: folder.path, touched: folder.touched)
        folder.lines = lines
        folder.touched = []
        waiting += changes
        for change in changes { try followTransfer(change) }
    }

    private func look(at document: Document, _ path: String) throws {
        guard documents[path] === document else { return }
        guard let text = try DocumentTree.unlessGone(path, { _ in StateText(try document.state.text()) }) else {
            documents[path] = nil
            if !document.isTransfer {
                waiting.append(DocumentChange(path: path, old: FolderStateLine(document.text), new: nil))
            }
            return
        }
        let before = document.text
        document.text = text
        let progress = text["progress"].flatMap { Int($0) }
        let change = DocumentChange(
            path: path, old: FolderStateLine(before), new: FolderStateLine(text), progress: progress)
        if document.isTransfer {
            if progress == nil {
                documents[path] = nil
            } else if before["progress"] != text["progress"] {
                waiting.append(change)
            }
        } else if before.values != text.values {
            waiting.append(change)
        }
    }

    /// The transfer may be over, and the document gone, before its own state is opened.
    private func followTransfer(_ change: DocumentChange) throws {
        guard let line = change.new else {
            documents[change.path] = nil
            return
        }
        try followTransfer(of: line, change.path)
    }

    private func followTransfer(of line: FolderStateLine, _ path: String) throws {
        guard line.state.contains("progressAvailable"), documents[path] == nil else { return }
        documents[path] = try DocumentTree.unlessGone(path) { try Document($0, isTransfer: true) }
    }

    // MARK: Folders

    /// Follows a folder and all in it.
    ///
    /// - Returns: the folders that were not followed before.
    @discardableResult
    private func follow(_ path: String) throws -> [FollowedFolder] {
        guard folders[path] == nil else { return [] }
        let folder = try FollowedFolder(path, notifications)
        folders[path] = folder
        for line in folder.lines { try followTransfer(of: line, path + "/" + line.filename) }
        return try [folder] + followFolders(in: path)
    }

    private func followFolders(in path: String) throws -> [FollowedFolder] {
        try DocumentTree.folders(in: path).flatMap { try DocumentTree.unlessGone($0, follow) ?? [] }
    }

    private func forget(_ path: String) {
        for folder in folders.values where folder.path == path || folder.path.hasPrefix(path + "/") {
            folders[folder.path] = nil
            notifications.forget(folder.watch)
            let changes = DocumentChange.between(folder.lines, [], in: folder.path)
            for change in changes { documents[change.path] = nil }
            waiting += changes
        }
    }

    private func hear() throws -> [FollowedFolder] {
        var changed: [FollowedFolder] = []
        for event in try notifications.events() {
            switch event {
            case .folderCame(let watch, let name):
                guard let parent = folder(watch), !name.hasSuffix(".conflicts") else { continue }
                let path = parent.path + "/" + name
                announce(try DocumentTree.unlessGone(path, follow) ?? [])
            case .folderWent(let watch, let name):
                if let parent = folder(watch) { forget(parent.path + "/" + name) }
            case .folderTouched: continue
            case .touched(let watch, let name):
                guard let folder = folder(watch) else { continue }
                if let filename = attributeText("user.document.filename", of: folder.path + "/" + name) {
                    folder.touched.insert(filename)
                    changed.append(folder)
                }
            case .overflow:
                for folder in Array(folders.values) {
                    if access(folder.path, F_OK) != 0 {
                        forget(folder.path)
                    } else {
                        announce(try followFolders(in: folder.path))
                    }
                }
                changed = Array(folders.values)
            }
        }
        return changed
    }

    private func announce(_ found: [FollowedFolder]) {
        waiting += found.flatMap { DocumentChange.between([], $0.lines, in: $0.path) }
    }

    private func folder(_ watch: Int32) -> FollowedFolder? { folders.values.first { $0.watch == watch } }
}
