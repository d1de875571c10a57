import Foundation

/// A sequence of operations as text, one JSON value a line, which `DOCFS_PROOF_SCRIPT=FILE` carries out again.
struct Script: Sendable {
    var container: String
    var showsDisplayNames: Bool
    var operations: [Operation]

    private struct Head: Codable {
        var container: String
        var showsDisplayNames: Bool
    }

    init(container: String, showsDisplayNames: Bool, operations: [Operation]) {
        self.container = container
        self.showsDisplayNames = showsDisplayNames
        self.operations = operations
    }

    init(text: String) throws {
        let lines = text.split(separator: "\n").map { Data($0.utf8) }
        guard let first = lines.first else { throw CocoaError(.fileReadCorruptFile) }
        let head = try JSONDecoder().decode(Head.self, from: first)
        container = head.container
        showsDisplayNames = head.showsDisplayNames
        operations = try lines.dropFirst().map { try JSONDecoder().decode(Operation.self, from: $0) }
    }

    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let head = Head(container: container, showsDisplayNames: showsDisplayNames)
            let lines = try [encoder.encode(head)] + operations.map { try encoder.encode($0) }
            return lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
        }
    }
}
