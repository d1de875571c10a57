import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct DatabaseTests {
    /// Fills a database from two connections, and checks it.
    private static let program = """
        import sqlite3, sys
        path, mode = sys.argv[1:]
        first = sqlite3.connect(path, timeout=30)
        assert first.execute(f'PRAGMA journal_mode={mode}').fetchone()[0] == mode
        first.execute('CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT)')
        first.commit()
        second = sqlite3.connect(path, timeout=30)
        for round in range(20):
            for connection in (first, second):
                with connection:
                    connection.executemany(
                        'INSERT INTO items (text) VALUES (?)', [(f'item {round} {n}' * 20,) for n in range(50)])
        assert first.execute('SELECT count(*) FROM items').fetchone()[0] == 2000
        try:
            with second:
                second.execute('DELETE FROM items')
                raise KeyError
        except KeyError: pass
        first.execute('VACUUM')
        first.close(); second.close()
        again = sqlite3.connect(path)
        assert again.execute('PRAGMA integrity_check').fetchone()[0] == 'ok'
        print(again.execute('SELECT count(*) FROM items').fetchone()[0])
        """

    @Test(arguments: ["delete", "truncate", "wal"], ["local", "cloud"])
    func `sqlite works`(journalMode: String, container: String) async throws {
        try await withDevice { device in
            let result = try await device.shell(
                "python3 -c \"$PROGRAM\" \(container)/Items.sqlite \(journalMode)",
                environment: ["PROGRAM": Self.program])
            #expect(result.line == "2000")
            let database = device.documents / container / "Items.sqlite"
            #expect(try database.displayName() == "Items")
            try await device.remount()
            let check = try await device.shell(
                "python3 -c \"import sqlite3; print(sqlite3.connect('\(container)/Items.sqlite').execute('PRAGMA integrity_check').fetchone()[0])\""
            )
            #expect(check.line == "ok")
        }
    }

    @Test func `a database in the cloud is whole on the other device`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await laptop.shell(
                "python3 -c \"$PROGRAM\" cloud/Items.sqlite delete",
                environment: ["PROGRAM": Self.program])
            try await laptop.waitUntilUploaded(laptop.cloud / "Items.sqlite")
            let there = desktop.cloud / "Items.sqlite"
            let size = try (laptop.cloud / "Items.sqlite").stat().size
            try await eventually { try there.stat().size == size }
            let count = try await desktop.shell(
                "python3 -c \"import sqlite3; print(sqlite3.connect('cloud/Items.sqlite').execute('SELECT count(*) FROM items').fetchone()[0])\""
            )
            #expect(count.line == "2000")
        }
    }
}
