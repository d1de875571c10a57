import Documents
import Testing

struct VersionNameTests {
    private let time = LocalTime(year: 2026, month: 11, day: 21, hour: 4, minute: 12, second: 3)

    private func name(_ device: String, number: Int = 1, _ pathExtension: String = "txt") -> String {
        VersionName.make(device: device, time: time, number: number, pathExtension: pathExtension)
    }

    @Test func `a version is called by its device and its time`() {
        #expect(name("Laptop") == "Laptop 2026-11-21 04.12.03.txt")
        #expect(name("Laptop", "") == "Laptop 2026-11-21 04.12.03")
        #expect(name("Laptop", number: 2) == "Laptop 2026-11-21 04.12.03 2.txt")
    }

    @Test(arguments: ["../../etc", "a/b", "x\ny", String(repeating: "\u{1f600}", count: 100)])
    func `whatever a device calls itself, the name is one that a file can have`(_ device: String) throws {
        #expect(try EntryName(name(device)).text.utf8.count <= 255)
    }
}
