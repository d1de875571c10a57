import Foundation
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// `scripts/benchmark --against` tells a row that has fallen from noise.
struct BenchmarkComparisonTests {
    /// The values of each round, by what was measured.
    private typealias Rows = [String: [String: [Double]]]

    private static let even = [10.0, 10, 10, 10, 10]

    @Test func `it says which rows fell, and not those that noise or the machine explains`() async throws {
        let result = try await compare(
            [
                "create": ["native": Self.even, "docfs": [20, 20.1, 19.9, 20.2, 20]],
                "machine": ["native": Self.even, "docfs": [20, 21, 20, 20, 20]],
                "noise": ["native": Self.even, "docfs": [20, 40, 21, 35, 22]],
                "outlier": ["native": Self.even, "docfs": [20, 20, 20, 20, 20]],
                "slightly": ["native": Self.even, "docfs": [20, 20.01, 20.02, 20, 20]],
                "alone": ["docfs": [1, 1, 1.01, 1, 1]],
                "faster": ["native": Self.even, "docfs": [20, 20, 20, 20, 20]],
                "former": ["docfs": [1]],
            ],
            [
                "create": ["native": Self.even, "docfs": [25, 25, 25.1, 24.9, 25]],
                // Twice as slow as the plain folder, as before.
                "machine": ["native": [20, 20, 20, 20, 20], "docfs": [40, 41, 40, 40, 40]],
                "noise": ["native": Self.even, "docfs": [25, 21, 38, 36, 20]],
                "outlier": ["native": Self.even, "docfs": [20, 20, 20, 20, 90]],
                "slightly": ["native": Self.even, "docfs": [20.5, 20.5, 20.5, 20.5, 20.5]],
                "alone": ["docfs": [2, 2.01, 2, 2, 2]],
                "faster": ["native": Self.even, "docfs": [10, 10, 10, 10, 10]],
                "new": ["docfs": [1]],
            ])
        #expect(result.exitStatus == 1)
        #expect(
            result.comparison == [
                "compared with 0ld of 2026-11-01: 7 figures",
                "slower by more than a twentieth and their noise:",
                "  alone 0.50 times as fast",
                "  create 0.80 times as fast",
                "faster by more than a twentieth and their noise:",
                "  faster 2.00 times as fast",
            ])
    }

    @Test func `a fall in docfs's cloud folder counts by itself`() async throws {
        let result = try await compare(
            ["create": ["native": Self.even, "docfs": Self.even, "cloud": [12, 12, 12, 12, 12]]],
            ["create": ["native": Self.even, "docfs": Self.even, "cloud": [18, 18, 18, 18, 18]]])
        #expect(result.exitStatus == 1)
        #expect(result.comparison.dropFirst(2) == ["  create, cloud 0.67 times as fast"])
    }

    @Test func `few rounds prove nothing`() async throws {
        let result = try await compare(
            ["create": ["native": [10, 10], "docfs": [20, 20]]], ["create": ["native": [10, 10], "docfs": [30, 30]]])
        #expect(result.exitStatus == 0)
        #expect(
            result.comparison.dropFirst() == [
                "changed, with fewer than 5 rounds in a run, so that it may be chance:", "  create 0.67 times as fast",
                "no row has fallen",
            ])
    }

    /// Runs the script on two runs that were not made; returns what it says below the table, with single spaces.
    private func compare(_ old: Rows, _ new: Rows) async throws -> (exitStatus: Int32, comparison: [String]) {
        try await withTemporaryFolder { folder in
            try write(old, commit: "0ld", to: "\(folder)/old.json")
            try write(new, commit: "new", to: "\(folder)/new.json")
            let result = try await runProgram(
                ExamplePage.repository.appending("scripts/benchmark").string,
                ["--results", "\(folder)/new.json", "--against", "\(folder)/old.json"])
            let lines = result.standardOutput.split(separator: "\n").map(String.init)
            let comparison = lines.drop { !$0.hasPrefix("compared with") }
            return (result.exitStatus, comparison.map { $0.replacing(/(\S) +/) { "\($0.1) " } })
        }
    }

    private func write(_ rows: Rows, commit: String, to path: String) throws {
        let circumstances: [String: Any] = [
            "command": "scripts/benchmark", "commit": commit, "date": "2026-11-01", "processors": 2, "processor": "any",
            "disk": "a new ext4", "kernel": "6.18",
        ]
        let described = rows.mapValues { ["unit": "seconds", "rounds": $0] as [String: Any] }
        let run: [String: Any] = ["circumstances": circumstances, "rows": described]
        try JSONSerialization.data(withJSONObject: run).write(to: URL(filePath: path))
    }
}
