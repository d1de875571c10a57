import SystemPackage
import Testing

/// A state file of `key: value` lines, as of one reading.
public struct StateFile: Sendable {
    public struct Malformed: Error, CustomStringConvertible {
        public let text: String
        public var description: String { "not lines of `key: value`: \(text)" }
    }

    public let keys: [String]
    private let values: [String: String]

    public init(text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(text: text) }
        let pairs = try text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map {
            line in
            // A key without a value may stand with or without the space.
            guard let colon = line.firstIndex(of: ":") else { throw Malformed(text: text) }
            let rest = line[line.index(after: colon)...]
            guard rest.isEmpty || rest.hasPrefix(" ") else { throw Malformed(text: text) }
            return (String(line[..<colon]), String(rest.dropFirst()))
        }
        keys = pairs.map(\.0)
        values = try Dictionary(pairs) { _, _ in throw Malformed(text: text) }
    }

    public subscript(key: String) -> String? { values[key] }

    /// The flags of `state`; those of a document.
    public var flags: Set<String> {
        Set((self["state"] ?? "").split(separator: " ").map(String.init))
    }
}

/// A folder's `.state`: a header and a line of five fields for each document.
public struct FolderState: Sendable {
    public struct Row: Equatable, Sendable {
        public let indicator: String
        public let flags: Set<String>
        public let transfer: String
        public let filename: String
        public let displayName: String
    }

    public struct Malformed: Error, CustomStringConvertible {
        public let text: String
        public var description: String { "not a header and lines of five fields: \(text)" }
    }

    public let header: String
    public let rows: [Row]

    public init(text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard text.hasSuffix("\n") else { throw Malformed(text: text) }
        header = String(lines[0])
        rows = try lines.dropFirst().dropLast().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(
                String.init)
            guard fields.count == 5 else { throw Malformed(text: text) }
            return Row(
                indicator: fields[0], flags: Set(fields[1].split(separator: ",").map(String.init)),
                transfer: fields[2], filename: fields[3], displayName: fields[4])
        }
    }
}

extension FilePath {
    /// The path of a document's state file.
    public var stateFile: FilePath { FilePath(string + ".state") }

    /// The present content of this document's state file.
    public func state() throws -> StateFile { try StateFile(text: stateFile.text()) }

    /// The present content of this folder's `.state`.
    public func folderState() throws -> FolderState { try FolderState(text: (self / ".state").text()) }
}

extension Device {
    /// The present content of `Documents/.state`.
    public func treeState() throws -> StateFile { try StateFile(text: (documents / ".state").text()) }

    /// Waits until the newest content of a cloud document is installed here. A reader may have all of its bytes a moment earlier.
    public func waitUntilHere(_ path: FilePath, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually(sourceLocation: sourceLocation) { try path.state()["downloading"] == "current" }
    }

    /// Waits until the cloud has a document as it is here.
    public func waitUntilUploaded(
        _ path: FilePath, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually(sourceLocation: sourceLocation) {
            try path.state()["uploading"] == "uploaded"
        }
    }
}
