import Glibc

/// The documents of a mount below a path.
enum DocumentTree {
    /// `local` and `cloud` for a mount as a whole: the state of `Documents` says nothing of single documents.
    static func roots(of path: String) throws -> [String] {
        let mount = try MountedTree(holding: path)
        let real = try MountedTree.resolved(path)
        guard [mount.mountpoint, mount.documents].contains(real) else {
            return [path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path]
        }
        return ["local", "cloud"].map { mount.documents + "/" + $0 }
    }

    /// Folders with documents. A document in conflict has a folder of its other versions, which are no documents.
    static func folders(in folder: String) throws -> [String] {
        try FolderContent.folders(in: folder).filter { !$0.hasSuffix(".conflicts") }.map { folder + "/" + $0 }
    }

    /// All documents, those of a folder before those of the folders in it.
    static func documents(below path: String) throws -> [(path: String, line: FolderStateLine)] {
        try roots(of: path).flatMap { root in
            try Listing.isFolder(root)
                ? documents(in: root) : [(root, FolderStateLine(StateText(try readState(ofDocument: root))))]
        }
    }

    private static func documents(in folder: String) throws -> [(path: String, line: FolderStateLine)] {
        let own = try FolderStateLine.read(folder).map { (folder + "/" + $0.filename, $0) }
        return try own + folders(in: folder).flatMap { try unlessGone($0) { try documents(in: $0) } ?? [] }
    }

    private static let mostTries = 3

    /// - Returns: nil if the attempt fails because the file or folder has gone away meanwhile. Another one that has its name by then is tried in
    ///   its place, as often as that happens; one that is still there may have been away for a moment, and is tried thrice.
    static func unlessGone<Result>(_ path: String, _ attempt: (String) throws -> Result) throws -> Result? {
        var tries = 0
        while let inode = inode(of: path) {
            do { return try attempt(path) } catch {
                tries = self.inode(of: path) == inode ? tries + 1 : 0
                if tries == mostTries { throw error }
            }
        }
        return nil
    }

    private static func inode(of path: String) -> UInt64? {
        var facts = stat()
        return stat(path, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }
}
