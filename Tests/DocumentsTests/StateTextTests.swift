import Documents
import Testing

struct StateTextTests {
    private static let id = EntryID("1b4e28ba-2fa1-41d2-883f-b9a761bde3fb")!

    private static func state(
        _ flags: Set<StateFlag>, displayName: String = "Groceries", location: Location = .local
    ) -> DocumentState {
        DocumentState(
            flags: flags, displayName: displayName, filename: "2026-11-21-041233-7f3a.txt", id: id, location: location,
            size: 11, modified: Timestamp(seconds: 1_795_234_353, nanoseconds: 999_999_999))
    }

    @Test func `the state of a local document is exactly this text`() {
        #expect(
            Self.state([.closed]).text == """
                state: closed
                indicator: green
                displayName: Groceries
                filename: 2026-11-21-041233-7f3a.txt
                id: 1b4e28ba-2fa1-41d2-883f-b9a761bde3fb
                location: local
                size: 11
                modified: 2026-11-21T04:12:33Z
                conflicts: 0

                """)
    }

    @Test func `the state of a cloud document with all there is to say is exactly this text`() {
        var state = Self.state(Set(StateFlag.allCases), location: .cloud)
        state.downloading = .outdated
        state.uploading = .waiting
        state.progress = 42
        state.conflicts = 2
        state.error = "the cloud cannot be reached; retrying in 8 s"
        #expect(
            state.text == """
                state: closed inConflict savingError editingDisabled progressAvailable
                indicator: red
                displayName: Groceries
                filename: 2026-11-21-041233-7f3a.txt
                id: 1b4e28ba-2fa1-41d2-883f-b9a761bde3fb
                location: cloud
                size: 11
                modified: 2026-11-21T04:12:33Z
                downloading: outdated
                uploading: waiting
                progress: 42
                conflicts: 2
                error: the cloud cannot be reached; retrying in 8 s

                """)
    }

    @Test func `an open document with nothing wrong is normal`() {
        #expect(Self.state([]).text.hasPrefix("state: normal\nindicator: green\n"))
        #expect(Self.state([.editingDisabled]).text.hasPrefix("state: editingDisabled\n"))
    }

    private static let indicators: [(Set<StateFlag>, Indicator)] = [
        ([], .green), ([.closed, .editingDisabled, .progressAvailable], .green), ([.inConflict], .yellow),
        ([.closed, .inConflict], .yellow), ([.savingError], .red), ([.savingError, .inConflict], .red),
    ]

    @Test(arguments: indicators)
    func `the indicator is red with savingError, else yellow with inConflict, else green`(
        flags: Set<StateFlag>, indicator: Indicator
    ) {
        #expect(Self.state(flags).indicator == indicator)
    }

    @Test func `the words of the transfer states are those of the contract`() {
        let downloading: [DownloadState] = [.notDownloaded, .downloading, .current, .outdated]
        #expect(downloading.map(\.rawValue) == ["notDownloaded", "downloading", "current", "outdated"])
        let uploading: [UploadState] = [.waiting, .uploading, .uploaded]
        #expect(uploading.map(\.rawValue) == ["waiting", "uploading", "uploaded"])
    }

    @Test func `a value never breaks its line`() {
        var state = Self.state([], displayName: "a\nerror: b\tc\r\u{1b}d\u{7f}é")
        state.error = "first\nsecond"
        #expect(state.text.contains("\ndisplayName: a\\nerror: b\\tc\\r\\x1bd\\x7fé\n"))
        #expect(state.text.hasSuffix("\nerror: first\\nsecond\n"))
        #expect(state.text.split(separator: "\n").count == 10)
    }

    @Test func `the state of a folder is a header and one line per document in listing order`() {
        var cloud = Self.state([.closed, .inConflict], displayName: "Shopping list", location: .cloud)
        cloud.filename = "b.txt"
        cloud.downloading = .current
        cloud.uploading = .uploaded
        var broken = Self.state([.savingError], displayName: "tab\there")
        broken.filename = "a.txt"
        broken.uploading = .waiting
        #expect(
            FolderState.text([cloud, Self.state([]), broken]) == """
                #indicator state transfer filename displayName
                yellow\tclosed,inConflict\tcurrent,uploaded\tb.txt\tShopping list
                green\tnormal\t-\t2026-11-21-041233-7f3a.txt\tGroceries
                red\tsavingError\twaiting\ta.txt\ttab\\there

                """)
    }

    @Test func `the state of an empty folder is the header`() {
        #expect(FolderState.text([]) == "#indicator state transfer filename displayName\n")
    }

    @Test func `the state of the tree is exactly this text`() {
        let state = TreeState(
            preferred: .cloud, localDocuments: 3, cloudDocuments: 14, connection: "offline", pending: 2, conflicts: 1,
            undo: "Delete “Groceries”", trashedDocuments: 12, trashedBytes: 4096, device: "laptop")
        #expect(
            state.text == """
                preferred: cloud
                local.documents: 3
                cloud.documents: 14
                cloud.connection: offline
                cloud.pending: 2
                cloud.room: 0
                cloud.conflicts: 1
                undo: Delete “Groceries”
                redo: -
                trash: 4096 in 12 documents
                device: laptop

                """)
    }

    @Test func `an error of the connection stays on its line`() {
        var state = TreeState(
            preferred: .local, localDocuments: 0, cloudDocuments: 0, connection: "bad\nundo: 9", pending: 0,
            conflicts: 0, device: "a\nb")
        #expect(state.text.contains("\ncloud.connection: bad\\nundo: 9\n"))
        #expect(state.text.hasSuffix("\ndevice: a\\nb\n"))
        state.connection = "online"
        #expect(state.text.contains("\ncloud.connection: online\n"))
    }
}
