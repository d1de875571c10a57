import Foundation
import MountSupport
import SystemPackage
import Testing

/// What `--json` prints, held against the page that explains it.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct JSONOutputTests {
    /// The keys of `docfs help json`, each with the kind of its value.
    private func explained(_ device: Device) async throws -> [String: String] {
        let page = try await device.docfs("help", "json")
        #expect(page.exitStatus == 0)
        let keys = page.lines.compactMap { line in
            try? /^  (\w+) +(text|number|flag|texts): ./.prefixMatch(in: line).map { (String($0.1), String($0.2)) }
        }
        return Dictionary(uniqueKeysWithValues: keys)
    }

    private enum Value: Decodable {
        case flag, number, text
        case array([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if (try? container.decode(Bool.self)) != nil {
                self = .flag
            } else if (try? container.decode(Double.self)) != nil {
                self = .number
            } else if (try? container.decode(String.self)) != nil {
                self = .text
            } else if let values = try? container.decode([Value].self) {
                self = .array(values)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        /// As the page calls it; nil for what the page does not explain.
        var kind: String? {
            switch self {
            case .flag: "flag"
            case .number: "number"
            case .text: "text"
            case .array(let values): values.allSatisfy { $0.kind == "text" } ? "texts" : nil
            case .object: nil
            }
        }

        /// The keys and values of an object, or of each object of an array.
        var fields: [(key: String, value: Value)] {
            switch self {
            case .object(let fields): Array(fields)
            case .array(let values): values.flatMap(\.fields)
            default: []
            }
        }
    }

    @Test func `each key that a command prints is explained, and has the value that is said`() async throws {
        try await withTwoDevices { laptop, desktop in
            let explained = try await explained(laptop)
            #expect(explained.count > 30)
            let plan = laptop.cloud / "Plan.txt"
            try plan.create("plan")
            try await laptop.waitUntilUploaded(plan)
            try await laptop.shell("echo more >cloud/Plan.txt")
            try await laptop.waitUntilUploaded(plan)
            try (laptop.local / "List.txt").create("list")
            try (laptop.local / "Old.txt").create("old")
            try (laptop.local / "Old.txt").remove()
            try await eventually { (desktop.cloud / "Plan.txt").exists }
            let commands = [
                ["ls", laptop.cloud.string], ["ls", laptop.local.string], ["status", plan.string],
                ["status", laptop.cloud.string], ["status", laptop.mountpoint.string],
                ["status", desktop.mountpoint.string], ["query", "plan", laptop.mountpoint.string],
                ["versions", plan.string], ["undo", "--list", laptop.documents.string], ["mounts"],
                ["trash", "list", laptop.documents.string], ["sort", laptop.local.string],
                ["check", laptop.mountpoint.string],
                ["new", "--name", "Made", laptop.local.string], ["undo", laptop.documents.string],
                ["redo", laptop.documents.string], ["undo", laptop.documents.string],
                ["redo", "--list", laptop.documents.string],
            ]
            for command in commands {
                let result = try await runProgram(
                    try DocfsBinary.path.string, command + ["--json"], environment: laptop.options.environment)
                #expect(result.exitStatus == 0, "\(command): \(result.standardError)")
                try Self.check(result.standardOutput, against: explained, "\(command)")
            }
            let streams = try [
                ["watch", laptop.local.string], ["query", "--watch", "plan", laptop.mountpoint.string],
            ]
            .map { try CommandStream(laptop, $0 + ["--json"]) }
            for stream in streams { try await stream.waitUntilItPolls() }
            try (laptop.local / "Plan 2.txt").create("plan")
            for stream in streams {
                try await eventually { !stream.lines.isEmpty }
                for line in stream.lines { try Self.check(line, against: explained, "\(stream)") }
                _ = try await stream.interrupt()
            }
            try await laptop.unmount()
            let store = try await laptop.docfs("check", "--store", laptop.store.string, "--json")
            #expect(store.exitStatus == 0, "\(store.standardError)")
            try Self.check(store.standardOutput, against: explained, "check --store")
            try await laptop.mount()
        }
    }

    private static func check(_ output: String, against explained: [String: String], _ command: String) throws {
        let value = try JSONDecoder().decode(Value.self, from: Data(output.utf8))
        #expect(!value.fields.isEmpty, "\(command)")
        for (key, value) in value.fields {
            #expect(explained[key] != nil && explained[key] == value.kind, "\(command): \(key)")
        }
    }
}
