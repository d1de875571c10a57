import CLinux
import Foundation
import Glibc

/// A document of a mount, asked only for what a predicate needs: most predicates need no more than the line in its folder's state.
final class FoundDocument: QueriedDocument {
    let path: String
    let line: FolderStateLine
    private let location: String
    private lazy var status: stat? = {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }()

    init(path: String, line: FolderStateLine, location: String) {
        self.path = path
        self.line = line
        self.location = location
    }

    func text(of field: QueryField) throws -> String? {
        switch field {
        case .name: line.filename
        case .displayName: line.displayName
        case .pathExtension: attributeText("user.document.extension", of: path)
        case .fullName: ListedDocument(line, path: path, .name).fullName
        case .indicator: line.indicator
        case .location: location
        case .downloading: transfer(of: field)
        case .uploading: transfer(of: field)
        case .attribute(let name): attributeText(name, of: path)
        case .state: line.state
        case .size, .modified, .created, .conflicts: try number(of: field).map { String($0) }
        }
    }

    func number(of field: QueryField) throws -> Int64? {
        switch field {
        case .size: status.map { Int64($0.st_size) }
        case .modified: status.map { Int64($0.st_mtim.tv_sec) }
        case .created: attributeText("user.document.created", of: path).flatMap(Self.seconds)
        case .conflicts: line.state.contains("inConflict") ? try conflicts() : 0
        default: nil
        }
    }

    func words(of field: QueryField) throws -> [String] {
        try text(of: field).map { text in text.split { $0 == "," || $0.isWhitespace }.map(String.init) } ?? []
    }

    /// Nil if the document went away meanwhile.
    private func conflicts() throws -> Int64? {
        do { return StateText(try readState(ofDocument: path))["conflicts"].flatMap { Int64($0) } } catch {
            guard access(path, F_OK) != 0 else { throw error }
            return nil
        }
    }

    private func transfer(of field: QueryField) -> String? {
        line.transfer.split(separator: ",").map(String.init).first { field.values?.contains($0) == true }
    }

    /// `2026-11-21T04:12:33Z` as seconds since 1970.
    private static func seconds(_ text: String) -> Int64? {
        // Only docfs writes this attribute. A text that is no time is none to compare.
        (try? Date(text, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
    }
}
