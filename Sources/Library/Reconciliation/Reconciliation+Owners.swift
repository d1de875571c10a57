import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Finds the row of a stray file.
extension Reconciliation {
    /// The row of a stray by rules 2 and 3; nil if there is none.
    func owner(of stray: Stray) throws -> Entry? {
        if stray.found.type == S_IFREG, let row = try document(withGeneratedFilename: stray.name) { return row }
        if occasion.knowsInodes, let evidence = stray.found.evidence, let row = missing[evidence],
            row.kind.backingType == stray.found.type
        {
            return row
        }
        return stray.isFolder && !occasion.knowsInodes ? try folderOfDocuments(in: stray) : nil
    }

    /// The document with a generated filename, if there is no file at its own path.
    private func document(withGeneratedFilename filename: String) throws -> Entry? {
        try transaction.entries(generatedFilename: filename).first { row in
            if missing[row.inode] != nil { return true }
            guard row.kind == .document else { return false }
            // Without its folder there is no file at its own path.
            guard let directory = try comparison.backing.folderIfPresent(row.parent, transaction) else { return true }
            return try !directory.exists(row.filename)
        }
    }

    /// The missing folder whose documents, by their rows, lie in a stray folder.
    private func folderOfDocuments(in stray: Stray) throws -> Entry? {
        // A folder that cannot be read is compared, and reported, when it has been matched or adopted.
        let names = (try? comparison.backing.folder(stray.folder, transaction).folder(stray.name).names()) ?? []
        for name in names {
            if let row = try document(withGeneratedFilename: name), let folder = missing[row.parent] { return folder }
        }
        return nil
    }
}
