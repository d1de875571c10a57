import Documents
import Catalog
@testable import Library
import Testing

/// Attributes that were set on a file before it is renamed over a document.
@Suite(.timeLimit(.minutes(15)))
struct SavedAttributesTests {
    @Test(arguments: ["new.tmp", "Plan.txt.new", ".Plan.txt.aB3dE9"], [false, true])
    func `they are the document's, its others stay, and its name stays`(
        temporary: String, removesFirst: Bool
    ) async throws {
        try await withPlanOnTwoDevices { laptop, phone, plan in
            try laptop.set("user.colour", "green", "Plan.txt")
            try laptop.set("user.shape", "round", "Plan.txt")
            try await laptop.push()
            try laptop.create(temporary, "new plan")
            for (name, value) in [("user.colour", "red"), ("user.mood", "good"), ("user.document.name", "Plan")] {
                try laptop.set(name, value, temporary)
            }
            if removesFirst { try laptop.remove("Plan.txt") }
            try laptop.rename(temporary, to: "Plan.txt")
            // A name out of a backup counts no more than before.
            try laptop.set("user.document.name", "Other", "Plan.txt")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Plan.txt"])
                #expect(try device.entry("Plan.txt").id == plan.id)
                #expect(try device.attribute("user.colour", "Plan.txt") == "red")
                #expect(try device.attribute("user.shape", "Plan.txt") == "round")
                #expect(try device.attribute("user.mood", "Plan.txt") == "good")
            }
        }
    }

    @Test func `they survive a kill`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try device.close()
            try device.open(defersCommits: true)
            try device.create("new.tmp", "new", in: .local)
            try device.set("user.colour", "red", "new.tmp", in: .local)
            try device.rename("new.tmp", in: .local, to: "Plan.txt")
            try device.crash()
            try device.open()
            #expect(try device.attribute("user.colour", "Plan.txt", in: .local) == "red")
        }
    }
}
