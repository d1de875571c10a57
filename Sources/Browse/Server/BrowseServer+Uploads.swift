import FlyingFox
import Foundation
import LinuxFiles
import Synchronization

/// The documents that are coming, by the words that pages know them by.
final class Uploads: Sendable {
    private let documents = Mutex<[String: any IncomingDocument]>([:])

    func add(_ document: any IncomingDocument) -> String {
        let word = randomWord()
        documents.withLock { $0[word] = document }
        return word
    }

    func document(_ word: String?) throws(BrowseRefusal) -> any IncomingDocument {
        guard let word, let document = documents.withLock({ $0[word] }) else {
            throw BrowseRefusal("it is no longer being added")
        }
        return document
    }

    func remove(_ word: String?) -> (any IncomingDocument)? {
        word.flatMap { word in documents.withLock { $0.removeValue(forKey: word) } }
    }

    /// Nothing is left of what has not come whole.
    func cancelAll() {
        let rest = documents.withLock { documents in
            defer { documents = [:] }
            return Array(documents.values)
        }
        for document in rest { document.cancel() }
    }
}

/// Documents that a person drops on the page. Each comes in pieces, for a request takes a minute at most.
extension BrowseServer {
    /// Bytes.
    private static let longestPiece = 8 << 20

    func beginUpload(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let name = IncomingName(
            path: Self.value("path", of: request) ?? "", modified: Self.number("modified", of: request),
            isNumbered: Self.value("taken", of: request) == "number")
        guard let name else { throw BrowseRefusal("that is no name of a document") }
        let target = Self.value("target", of: request) ?? ""
        guard let folder = table.folder(over: target) else { throw BrowseRefusal("that is no longer in the table") }
        let document = try await onBlockingThread { [mount] () throws(BrowseRefusal) in
            try mount.receive(name, into: folder)
        }
        return Answer.json(["upload": uploads.add(document)])
    }

    func addPiece(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let document = try uploads.document(Self.value("upload", of: request))
        guard let count = request.bodySequence.count, count <= Self.longestPiece, let body = try? await request.bodyData
        else { return Answer.text(.badRequest, "that is no piece of a document") }
        try await onBlockingThread { () throws(BrowseRefusal) in try document.add(Array(body)) }
        return Answer.nothing
    }

    func endUpload(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let word = Self.value("upload", of: request)
        let document = try uploads.document(word)
        _ = uploads.remove(word)
        do throws(BrowseRefusal) {
            try await onBlockingThread { () throws(BrowseRefusal) in try document.finish() }
        } catch {
            await onBlockingThread { document.cancel() }
            throw error
        }
        return Answer.nothing
    }

    func cancelUpload(_ request: HTTPRequest) async -> HTTPResponse {
        if let document = uploads.remove(Self.value("upload", of: request)) {
            await onBlockingThread { document.cancel() }
        }
        return Answer.nothing
    }
}
