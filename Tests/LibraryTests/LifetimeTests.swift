@testable import Library
import Testing

/// How long a library lives.
struct LifetimeTests {
    @Test(arguments: [false, true])
    func `a library that is no longer used is gone, with all that it had open`(isClosed: Bool) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan")
            weak let library = device.library
            weak let transactions = device.library.transactions
            if isClosed { try device.close() } else { try device.crash() }
            #expect(library == nil)
            #expect(transactions == nil)
            try device.open()
        }
    }
}
