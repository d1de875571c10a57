import Dispatch
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// Three devices over one S3 server, each behind a proxy that spoils its requests, with lost connections and kills. At the end all
/// devices show the same, and nothing is lost (``SaveLedger``).
@Suite(.mounting, .timeLimit(.minutes(60)))
struct CloudProofTests {
    @Test(arguments: 0..<2)
    func `three devices lose nothing through spoiled requests, lost connections and kills`(part: Int) async throws {
        let attacks = max(1, Amount.attacks("CLOUD", default: 80) / 2)
        let isEncrypted = Amount.isEncrypted(part, in: "cloud")
        let server = try await S3Server.shared()
        let seed = Amount.seed &* 2 &+ UInt64(part)
        let names = ["Laptop", "Desktop", "Tablet"]
        try await FaultProxy.run(before: server.port, seeds: names.indices.map { seed &* 31 &+ UInt64($0) }) {
            proxies in
            let url = server.url()
            let environment = try server.environment()
            let members = zip(names, proxies).map { name, proxy in
                let ownURL = url.replacing(":\(server.port)", with: ":\(proxy.port)")
                let options = MountOptions(timeoutSeconds: 5, cloudURL: ownURL, environment: environment)
                return (name, options.encrypting(isEncrypted))
            }
            try await withMountedDevices(members, limit: .seconds(3500)) { devices in
                let course = CloudCourse(devices, proxies, seed: seed)
                try await course.run(attacks: attacks)
                let visible = try await course.agreement()
                let lost = course.ledger.lost(visible: visible)
                let torn = course.torn
                #expect(lost.isEmpty, "seed \(seed)")
                for save in lost { Issue.record("\(save.token) was lost:\n\(course.ledger.history(of: save))") }
                #expect(torn.isEmpty, "seed \(seed)")
                Amount.report(
                    "CLOUD", attacks: course.attacks, lost: lost.count + torn.count,
                    "\(course.ledger.saves) saves on three devices, seed \(seed)\(isEncrypted ? ", encrypted" : ""): \(course.summary)"
                )
            }
        }
    }
}
