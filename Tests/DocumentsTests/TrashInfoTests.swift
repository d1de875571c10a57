import Documents
import Testing

/// `.Trash-UID`, by the Trash specification of freedesktop.org.
struct TrashInfoTests {
    private static let time = LocalTime(year: 2026, month: 11, day: 5, hour: 4, minute: 2, second: 9)

    @Test(arguments: [
        ("Documents/local/Plan.txt", "Documents/local/Plan.txt"),
        ("Documents/cloud/My trip/Größe 100%.txt", "Documents/cloud/My%20trip/Gr%C3%B6%C3%9Fe%20100%25.txt"),
        ("a\nb", "a%0Ab"),
    ])
    func `the path is encoded as in a URL, and the time is local`(path: String, encoded: String) {
        #expect(
            TrashInfo.text(path: path, deleted: Self.time)
                == "[Trash Info]\nPath=\(encoded)\nDeletionDate=2026-11-05T04:02:09\n")
    }

    @Test(arguments: [
        ("Plan.txt.trashinfo", "Plan.txt"), (".trashinfo", nil), ("Plan.txt", nil),
        ("a.trashinfo.trashinfo", "a.trashinfo"),
    ])
    func `a file of info belongs to the file of that name`(name: String, label: String?) {
        #expect(TrashInfo.label(of: name) == label)
    }

    @Test(arguments: [
        ("Plan.txt", 1, "Plan.txt"), ("Plan.txt", 2, "Plan.2.txt"), ("a.tar.gz", 3, "a.tar.3.gz"),
        ("Notes", 2, "Notes.2"),
        (".rc", 2, ".rc.2"),
    ])
    func `names that are taken are numbered before the extension`(name: String, number: Int, numbered: String) throws {
        let name = DocumentName(splitting: try EntryName(name))
        #expect(TrashInfo.label(for: name, number: number) == numbered)
    }

    @Test(arguments: [1, 2, 100]) func `a long name leaves room for what follows it in info`(number: Int) throws {
        let name = DocumentName(splitting: try EntryName(String(repeating: "é", count: 125) + ".txt"))
        let label = TrashInfo.label(for: name, number: number)
        #expect(label.hasPrefix("éé") && label.hasSuffix(number == 1 ? "é.txt" : "é.\(number).txt"))
        #expect((EntryName.maximumLength - 1...EntryName.maximumLength).contains((label + TrashInfo.suffix).utf8.count))
    }
}
