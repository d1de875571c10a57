import Ciphers
@testable import CloudSynchronization
import Documents
import Encryption
import Foundation
import ObjectStore
import Replication
import Testing

/// A plain and an encrypted container that two devices make at one place in the same moment (the page Secrecy).
struct ContainerFoundingTests {
    private func keyObject() throws -> KeyObject {
        // The lowest cost that is accepted.
        try KeyObject(
            wrapping: .random(), passphrase: "secret", recoveryKey: .random(), cost: ScryptCost(n: 1 << 15, r: 8, p: 1))
    }

    @Test func `a plain container that meets an encrypted one after it was made is taken back`() async throws {
        try await withDevice { laptop in
            let object = try keyObject()
            let keeper = try DirectoryStore(root: laptop.cloudFolder, creates: true)
            laptop.cloud.afterNextPut(of: ContainerIdentity.key) { _ = try? await object.establish(in: keeper) }
            let error = await #expect(throws: LogError.self) { try await laptop.pull() }
            guard case .container(.encrypted) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await ContainerFounding.look(at: keeper) == .encrypted(object))
            #expect(try await ContainerIdentity.read(from: keeper) == nil)
        }
    }

    @Test func `a plain container that was there before keeps its id, whoever founds another one`() async throws {
        try await withDevice { laptop in
            try await laptop.pull()
            let keeper = try DirectoryStore(root: laptop.cloudFolder, creates: true)
            let identity = try #require(try await ContainerIdentity.read(from: keeper))
            let object = try keyObject()
            laptop.cloud.afterNextPut(of: ContainerIdentity.key) { _ = try? await object.establish(in: keeper) }
            await #expect(throws: LogError.self) { try await laptop.synchronizer.container.establish(identity) }
            #expect(try await ContainerIdentity.read(from: keeper) == identity)
        }
    }

    @Test(arguments: [false, true])
    func `an encrypted container that meets a plain one is taken back`(isThereBefore: Bool) async throws {
        try await withDevice { laptop in
            let keeper = try DirectoryStore(root: laptop.cloudFolder, creates: true)
            if isThereBefore {
                try await laptop.pull()
            } else {
                laptop.cloud.afterNextPut(of: KeyObject.keys[0]) {
                    var random = SystemRandomNumberGenerator()
                    _ = try? await ContainerIdentity(.random(using: &random)).establish(in: keeper)
                }
            }
            #expect(try await ContainerFounding.makeEncrypted(keyObject(), in: laptop.cloud) == nil)
            #expect(try await ContainerFounding.look(at: keeper) == .plain)
        }
    }

    @Test func `of two encrypted containers the first counts for both`() async throws {
        try await withDevice { laptop in
            let (first, second) = (try keyObject(), try keyObject())
            #expect(try await ContainerFounding.makeEncrypted(first, in: laptop.cloud) == first)
            #expect(try await ContainerFounding.makeEncrypted(second, in: laptop.cloud) == first)
        }
    }
}
