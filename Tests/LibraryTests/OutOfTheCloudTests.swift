import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import CloudSynchronization
@testable import Library
import SystemPackage
import TestSupport
import Testing

/// Documents that leave the cloud while their content is not here.
@Suite(.timeLimit(.minutes(15)))
struct OutOfTheCloudTests {
    /// A document that the phone has moved out of the cloud and whose content has not arrived yet.
    private static func withLeavingDocument(
        _ body: (_ laptop: TestDevice, _ phone: TestDevice, Entry) async throws -> Void
    ) async throws {
        try await withPlanElsewhere { laptop, phone in
            phone.cloud.hold()
            try phone.move("Plan.txt", from: .cloud, to: .local)
            try await phone.work()
            await phone.cloud.waitUntilHolding()
            try await body(laptop, phone, try phone.entry("Plan.txt", in: .local))
        }
    }

    private static func expectGone(from laptop: TestDevice) async throws {
        try await laptop.pull()
        #expect(try laptop.names() == [])
    }

    @Test func `a document that is leaving the cloud arrives in the version that another device saves meanwhile`()
        async throws
    {
        try await Self.withLeavingDocument { laptop, phone, before in
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.pull()
            phone.cloud.release()
            try await phone.push()
            #expect(try phone.names(in: .local) == ["Plan.txt"])
            #expect(try phone.names() == [])
            #expect(try phone.entry("Plan.txt", in: .local).id == before.id)
            #expect(try await phone.text("Plan.txt", in: .local) == "second version")
            try await Self.expectGone(from: laptop)
        }
    }

    @Test func `a document that is leaving the cloud arrives although another device renames it meanwhile`()
        async throws
    {
        try await Self.withLeavingDocument { laptop, phone, before in
            try laptop.rename("Plan.txt", to: "Other.txt")
            try await laptop.push()
            try await phone.pull()
            phone.cloud.release()
            try await phone.push()
            #expect(try phone.entry("Plan.txt", in: .local).id == before.id)
            #expect(try await phone.text("Plan.txt", in: .local) == "first version")
            try await Self.expectGone(from: laptop)
        }
    }

    enum Ending: CaseIterable { case removal, truncation, replacement, opening }

    @Test(arguments: Ending.allCases)
    func `a document that is leaving the cloud and needs its content no more is removed from the cloud`(
        ending: Ending
    ) async throws {
        try await Self.withLeavingDocument { laptop, phone, before in
            switch ending {
            case .removal: try phone.remove("Plan.txt", in: .local)
            case .opening: try await phone.save("Plan.txt", "new", in: .local)
            case .truncation:
                try phone.change(before.inode) { $0.size = 0 }
            case .replacement:
                try phone.create("saved.tmp", "new", in: .local)
                try phone.rename("saved.tmp", in: .local, to: "Plan.txt")
            }
            phone.cloud.release()
            try await phone.push()
            try await Self.expectGone(from: laptop)
            #expect(try phone.names() == [])
            if ending == .removal {
                #expect(try phone.names(in: .local) == [])
                return
            }
            #expect(try phone.names(in: .local) == ["Plan.txt"])
            #expect(try phone.entry("Plan.txt", in: .local).id == before.id)
            #expect(try await phone.text("Plan.txt", in: .local) == (ending == .truncation ? "" : "new"))
        }
    }

    @Test func `one document that cannot arrive does not keep the others from arriving`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["A.txt", "B.txt", "C.txt"] { try laptop.create(name, name) }
            try await laptop.push()
            try await phone.pull()
            for name in ["A.txt", "B.txt", "C.txt"] { try phone.move(name, from: .cloud, to: .local) }
            // The container does not know that the first one is local now.
            var broken = try phone.entry("A.txt", in: .local)
            broken.id = .random()
            try phone.library.transactions.mutate { try $0.update(broken) }
            phone.synchronizer.tree.bringContents(atMost: Synchronizer.parallelTransfers)
            for name in ["B.txt", "C.txt"] {
                try await phone.library.waitForContent(of: phone.inode(name, in: .local))
                #expect(try phone.entry(name, in: .local).isHere)
            }
            try await phone.work()
            try await laptop.pull()
            #expect(try laptop.names() == ["A.txt"])
        }
    }
}
