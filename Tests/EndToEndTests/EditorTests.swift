import MountSupport
import SystemPackage
import Testing

/// Programs that save documents, each in its own way; the document stays the same one.
///
/// Vim makes no backups in /tmp of its own accord, hence its empty `backupskip`.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct EditorTests {
    static func expectSameDocument(
        in container: String, listing: Listing, after script: String, says text: String,
        leaving leftOver: Set<String> = []
    ) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.documents / container
            let document = folder / "Groceries.txt"
            try document.create("milk\neggs\n")
            try document.setAttribute("user.colour", "green")
            let identity = try document.identity()
            let shown = try folder.documentNames()
            try await device.shell("cd \(container) && \(script)")
            #expect(try document.text() == text)
            #expect(try document.identity() == identity)
            #expect(try document.attribute("user.colour") == "green")
            #expect(try Set(folder.documentNames()) == Set(shown).union(leftOver))
        }
    }

    @Test(
        arguments: [
            "backupcopy=yes", "backupcopy=no", "backupcopy=auto", "nowritebackup",
            "backupcopy=no nobackup writebackup swapfile",
        ], Listing.allCases)
    func `vim saves`(options: String, listing: Listing) async throws {
        try await Self.expectSameDocument(
            in: "local", listing: listing,
            after:
                "vim -es -u NONE -c 'set backupskip= \(options)' -c '1s/milk/oat milk/' -c 'wq' Groceries.txt </dev/null",
            says: "oat milk\neggs\n")
    }

    @Test(arguments: ["backupcopy=yes", "backupcopy=no"])
    func `vim keeps its backup as a scratch file`(options: String) async throws {
        try await Self.expectSameDocument(
            in: "local", listing: .displayNames,
            after:
                "vim -es -u NONE -c 'set backup backupskip= \(options)' -c '1s/milk/tea/' -c 'wq' Groceries.txt </dev/null",
            says: "tea\neggs\n", leaving: ["Groceries.txt~"])
    }

    @Test(arguments: ["local", "cloud"], Listing.allCases)
    func `sed -i saves`(container: String, listing: Listing) async throws {
        try await Self.expectSameDocument(
            in: container, listing: listing, after: "sed -i 's/milk/tea/' Groceries.txt",
            says: "tea\neggs\n")
    }

    @Test(arguments: ["local", "cloud"])
    func `a backup that is removed and made again leaves the document the same`(container: String) async throws {
        try await Self.expectSameDocument(
            in: container, listing: .displayNames,
            after: """
                perl -pi.bak -e 's/milk/tea/' Groceries.txt; rm Groceries.txt.bak
                sed -i.bak 's/tea/soup/' Groceries.txt; rm Groceries.txt.bak
                mv Groceries.txt Groceries.txt.bak; echo bread >Groceries.txt
                """, says: "bread\n", leaving: ["Groceries.txt.bak"])
    }

    @Test(
        arguments: ["local", "cloud"],
        [
            "perl -pi -e 's/.*/new/ if $. == 1; $_ = \"\" if $. == 2' Groceries.txt", "unzip -qo ../../../new.zip",
            "tar xf ../../../new.tar",
            "bsdtar xf ../../../new.tar", "bsdtar --safe-writes -xf ../../../new.tar",
            "cpio -iu --quiet <../../../new.cpio", "cp --remove-destination ../../../Groceries.txt .",
            "install -m 644 ../../../Groceries.txt Groceries.txt", "rsync -a ../../../Groceries.txt .",
            "rsync -a --inplace ../../../Groceries.txt .",
        ])
    func `a program that unpacks or copies over a document leaves it the same`(container: String, command: String)
        async throws
    {
        try await Self.expectSameDocument(
            in: container, listing: .displayNames,
            after: """
                (cd ../../..; echo new >Groceries.txt; touch -d '1 hour ago' Groceries.txt; zip -q new.zip Groceries.txt; tar cf new.tar Groceries.txt
                 echo Groceries.txt | cpio -o --quiet -H newc >new.cpio)
                \(command)
                """, says: "new\n")
    }

    @Test func `sed -i works by filename as well`() async throws {
        try await Self.expectSameDocument(
            in: "local", listing: .filenames, after: "sed -i 's/milk/tea/' *.txt",
            says: "tea\neggs\n")
    }

    /// As it is after `ls`, with the document older than a name that a program may still be choosing.
    @Test(arguments: ["local", "cloud"])
    func `sed -i with a backup works by filename as well`(container: String) async throws {
        try await withDevice { device in
            let folder = device.documents / container
            try (folder / "Groceries.txt").create("milk\neggs\n")
            let filename = try (folder / "Groceries.txt").filename()
            let identity = try (folder / "Groceries.txt").identity()
            try await device.shell("cd \(container) && sed -i.bak 's/milk/tea/' \(filename)")
            #expect(try (folder / filename).text() == "tea\neggs\n")
            #expect(try (folder / "Groceries.txt").identity() == identity)
            #expect(try (folder / "\(filename).bak").text() == "milk\neggs\n")
            #expect(try folder.documentNames().count == 2)
        }
    }

    @Test func `sed -i with a backup leaves a new document for it`() async throws {
        try await Self.expectSameDocument(
            in: "local", listing: .displayNames, after: "sed -i.bak 's/milk/tea/' Groceries.txt",
            says: "tea\neggs\n", leaving: ["Groceries.txt.bak"])
    }

    @Test(arguments: ["local", "cloud"])
    func `rsync saves`(container: String) async throws {
        try await Self.expectSameDocument(
            in: container, listing: .displayNames,
            after: """
                mkdir ../../../source && echo tea > ../../../source/Groceries.txt && \
                rsync -t ../../../source/Groceries.txt Groceries.txt
                """,
            says: "tea\n")
    }

    @Test(arguments: [
        "cp ../new Groceries.txt", "cat ../new > Groceries.txt",
        "dd if=../new of=Groceries.txt status=none",
        "tee Groceries.txt < ../new > /dev/null", "install -m 644 ../new Groceries.txt",
        "cp --remove-destination ../new Groceries.txt", "cp -f ../new Groceries.txt",
    ])
    func `programs that write a document anew save it`(script: String) async throws {
        let outside = script.replacing("../new", with: "../../../new")
        try await Self.expectSameDocument(
            in: "local", listing: .filenames, after: "echo tea > ../../../new && \(outside)",
            says: "tea\n")
    }

    @Test func `sort -o and python's atomic replacement save`() async throws {
        try await Self.expectSameDocument(
            in: "local", listing: .displayNames, after: "sort -o Groceries.txt Groceries.txt",
            says: "eggs\nmilk\n")
        try await Self.expectSameDocument(
            in: "local", listing: .displayNames,
            after: """
                python3 -c "
                import os, tempfile
                f = tempfile.NamedTemporaryFile('w', dir='.', delete=False)
                f.write('tea\\n'); f.flush(); os.fsync(f.fileno()); f.close()
                os.replace(f.name, 'Groceries.txt')"
                """,
            says: "tea\n")
    }

    @Test func `an editor's save in the cloud reaches the other device as the same document`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("milk\n")
            let there = desktop.cloud / "Groceries.txt"
            try await eventually { try there.text() == "milk\n" }
            let identity = try document.identity()
            try await desktop.shell(
                "vim -es -u NONE -c 'set backupskip= backupcopy=no' -c 's/milk/tea/' -c wq cloud/Groceries.txt </dev/null"
            )
            try await eventually { try document.text() == "tea\n" }
            #expect(try document.identity() == identity)
            #expect(try laptop.cloud.documentNames().count == 1)
            #expect(try document.state()["conflicts"] == "0")
        }
    }
}
