import Catalog
import Documents
import Testing

/// The table `settings`.
struct SettingsTests {
    @Test(arguments: [
        Setting.deviceID, .deviceName, .logHead, .sequentialNumber, .bundleNumber, .catalogFile,
    ])
    func `a setting comes back, and is no other`(setting: Setting) throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                #expect(try transaction.setting(setting) == nil)
                try transaction.set(setting, "first")
                try transaction.set(setting, "zweite Größe\n")
                #expect(try transaction.setting(setting) == "zweite Größe\n")
                let other: Setting = setting == .deviceName ? .deviceID : .deviceName
                #expect(try transaction.setting(other) == nil)
            }
        }
    }

    @Test func `a counter starts at 1 and never stands still`() throws {
        try withCatalog { catalog throws in
            #expect(try (0..<3).map { _ in try catalog.write { try $0.next(.bundleNumber) } } == [1, 2, 3])
            #expect(try catalog.write { try $0.next(.sequentialNumber) } == 1)
            #expect(try catalog.read { try $0.setting(.bundleNumber) } == "3")
        }
    }

    @Test func `many threads never get one number twice`() async throws {
        let numbers = try await numbersOfManyThreads()
        #expect(numbers.sorted() == Array(1...200))
    }

    private func numbersOfManyThreads() async throws -> [Int64] {
        let box = try CatalogBox()
        return try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try (0..<25).map { _ in try box.catalog.write { try $0.next(.sequentialNumber) } }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
