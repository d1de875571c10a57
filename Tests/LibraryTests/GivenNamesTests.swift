import Catalog
import Documents
@testable import Library
import Synchronization
import SystemPackage
import Testing

/// When the kernel must expire all names: if it may have cached a name of a changed document that is not the one in the call.
@Suite(.timeLimit(.minutes(15)))
struct GivenNamesTests {
    /// `Plan.txt` in the cloud, made and looked up by that name, with filenames shown.
    private func withPlan(
        remembers: Bool = true,
        _ body: (_ device: TestDevice, _ filename: String, _ kernel: KernelSpy) async throws -> Void
    ) async throws {
        try await withDevice { device in
            let kernel = KernelSpy()
            if remembers { device.library.rememberTypedNames { kernel.expireAllNames() } }
            try device.create("Plan.txt", "plan")
            try await body(device, device.entry("Plan.txt").filename, kernel)
        }
    }

    /// Counts how many times the kernel was made to expire all names.
    private final class KernelSpy: Sendable {
        private let count = Atomic(0)

        func expireAllNames() { count.add(1, ordering: .relaxed) }

        var epochs: Int { count.load(ordering: .relaxed) }
    }

    private func lookup(_ name: String, _ device: TestDevice) throws -> Resolved {
        try device.library.lookup(name.utf8, in: .cloud) { .existing }
    }

    @Test func `the kernel may cache both names if it can expire them, else the listed one only`() async throws {
        for remembers in [true, false] {
            try await withPlan(remembers: remembers) { device, filename, _ in
                let (typed, listed) = (try lookup("Plan.txt", device), try lookup(filename, device))
                #expect(typed.isCacheable == remembers)
                #expect(listed.isCacheable)
            }
        }
    }

    @Test func `names that the kernel updates by itself are not expired`() async throws {
        try await withPlan { device, _, kernel in
            _ = try lookup("Plan.txt", device)
            try device.rename("Plan.txt", to: "Other.txt")
            try device.create("Other.tmp", "saved")
            try device.rename("Other.tmp", to: "Other.txt")
            try device.remove("Other.txt")
            #expect(kernel.epochs == 0)
        }
    }

    @Test func `a removal by the listed name expires the other name if it was given`() async throws {
        try await withPlan { device, filename, kernel in
            _ = try lookup("Plan.txt", device)
            try device.remove(filename)
            #expect(kernel.epochs == 1)
        }
    }

    @Test(arguments: ["lookup", "listing"])
    func `a removal by the other name expires the listed name if it was given`(way: String) async throws {
        try await withPlan { device, filename, kernel in
            if way == "lookup" {
                _ = try lookup(filename, device)
            } else {
                _ = try device.library.listed(device.library.list(InodeNumber.cloud), in: .cloud)
            }
            try device.remove("Plan.txt")
            #expect(kernel.epochs == 1)
        }
    }

    @Test func `a listed name that the kernel has forgotten is not expired`() async throws {
        try await withPlan { device, filename, kernel in
            _ = try lookup(filename, device)
            device.library.forget(try device.inode("Plan.txt"))
            try device.remove("Plan.txt")
            #expect(kernel.epochs == 0)
        }
    }

    @Test func `more names than can be recorded are cached after all were expired`() async throws {
        try await withPlan { device, _, kernel in
            let names = GivenNames()
            let folder = InodeNumber(1000)
            names.enable { kernel.expireAllNames() }
            for number in 0..<70_000 { #expect(names.recordTyped("\(number)", in: folder)) }
            #expect(kernel.epochs == 1)
            names.expire(["69999"], in: folder)
            #expect(kernel.epochs == 2)
        }
    }

    @Test func `a new display name, an exchange and another device's rename expire the old name if it was given`()
        async throws
    {
        try await withPlan { device, filename, kernel in
            _ = try lookup("Plan.txt", device)
            try device.library.setExtendedAttribute(
                "user.displayName", to: Array("Other".utf8), of: .entry(device.inode("Plan.txt")), .either)
            #expect(kernel.epochs == 1)
            _ = try lookup("Other.txt", device)
            try device.create("Second.txt", "second")
            try device.library.rename(
                "Second.txt".utf8, in: .cloud, to: filename.utf8, in: .cloud, options: .exchange)
            #expect(kernel.epochs == 2)
            // All were expired, and none was recorded since.
            try device.remove(filename)
            #expect(kernel.epochs == 2)
        }
        try await withPlanElsewhere { laptop, phone in
            let kernel = KernelSpy()
            phone.library.rememberTypedNames { kernel.expireAllNames() }
            _ = try lookup("Plan.txt", phone)
            try laptop.rename("Plan.txt", to: "Other.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(kernel.epochs == 1)
        }
    }
}
