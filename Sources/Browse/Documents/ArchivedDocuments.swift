import Archives

/// Documents that a page downloads together, as one zip archive.
package struct ArchivedDocuments: Sendable {
    package enum Item: Sendable {
        case folder(ZipArchive.Entry)
        /// The content is opened when its turn comes.
        case document(ZipArchive.Entry, open: @Sendable () throws(BrowseRefusal) -> OpenContent)
    }

    /// The name under which a browser saves it.
    package let name: String
    /// Each folder before what is in it.
    package let items: [Item]

    package init(name: String, items: [Item]) {
        self.name = name
        self.items = items
    }
}
