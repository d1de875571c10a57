import Documents
import Testing

struct ScratchNameTests {
    @Test(arguments: [
        "notes.txt~", "~", "#notes.txt#", "##", ".#notes.txt", "a.swp", ".notes.txt.swo", ".swx", "a.tmp", ".tmp",
        "film.mkv.part", "film.crdownload", "~$letter.docx", ".~lock.letter.odt#", ".goutputstream-7F3A",
        ".fuse_hidden0000002a00000001", ".nfs000000000012", "4913", "sedAbC123", ".Trash-1000", ".DS_Store",
    ])
    func `files that programs leave while they work are scratch`(name: String) {
        #expect(ScratchName.matches(name))
    }

    @Test(arguments: [
        "notes~.txt", "#notes.txt", "notes.txt#", "#", "a.swpx", "a.swap", "a.SWP", "swp", "tmp", "a.tmp.txt", "part",
        "a.partial", "film.crdownload.html", "a~$b.docx", "$~letter.docx", ".~lock.letter.odt", "~lock.letter.odt#1",
        "goutputstream-7F3A", "fuse_hidden1", "nfs1", "4913.txt", "04913", "49130", "sedAbC12", "sedAbC1234",
        "SedAbC123", "sed", ".Trash", "Trash-1000", "DS_Store", ".DS_Store2", "", "a", "Groceries.txt", ".bashrc",
    ])
    func `a name that only resembles a scratch name is a document's`(name: String) {
        #expect(!ScratchName.matches(name))
    }

    @Test(arguments: ["sedmička", "sedééab"])
    func `a question mark of a scratch pattern is one character and not one byte`(name: String) {
        #expect(name.utf8.count == 9)
        #expect(!ScratchName.matches(name))
    }

    @Test(arguments: [
        (".Trash-1000", true), (".Trash-", true), (".Trash", false), ("Old~", false), ("build.tmp", false),
        ("#drafts#", false), ("4913", false),
    ])
    func `of folders only the trash of file managers is scratch`(name: String, isScratch: Bool) {
        #expect(ScratchName.matchesFolder(name) == isScratch)
    }
}

struct BackupNameTests {
    private let original = DocumentName(storedDisplayName: "notes", pathExtension: "txt")

    @Test(arguments: [
        "notes.txt~", "notes.txt.bak", "notes.txt.2026", "notes.bak", "notes.old", "notes.orig", "notes.backup",
        "notes.save",
    ])
    func `the whole name and more or the stem with a usual ending is a backup name`(name: String) {
        #expect(BackupName.isBackup(name, of: original))
    }

    @Test(arguments: [
        "notes.txt", "notes", "notes.md", "other.txt~", "Notes.txt~", "notes2.bak", "old notes.txt", "notes.bakx", "",
    ])
    func `any other name is a new name for the document`(name: String) {
        #expect(!BackupName.isBackup(name, of: original))
    }

    @Test func `the name of a backup begins with the document's byte for byte`() {
        let composed = DocumentName(storedDisplayName: "caf\u{e9}", pathExtension: "txt")
        #expect(BackupName.isBackup("caf\u{e9}.txt~", of: composed))
        #expect(!BackupName.isBackup("cafe\u{301}.txt~", of: composed))
        #expect(!BackupName.isBackup("cafe\u{301}.bak", of: composed))
    }
}
