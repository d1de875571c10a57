import FlyingFox
import Foundation
import LinuxFiles
import Synchronization

/// The documents that are coming, by the words that pages know them by.
final class Uploads: Sendable {
    private struct Upload: Sendable {
        let document: any IncomingDocument
        var lastUse: ContinuousClock.Instant
    }

    /// A page that was closed sends no more.
    private static let patience = Duration.seconds(600)

    private let uploads = Mutex<[String: Upload]>([:])

    /// Also gives up those of which nothing was heard for long.
    func add(_ document: any IncomingDocument) -> String {
        let (word, now) = (randomWord(), ContinuousClock.now)
        let old = uploads.withLock { uploads in
            uploads[word] = Upload(document: document, lastUse: now)
            let old = uploads.filter { now - $0.value.lastUse > Self.patience }
            for word in old.keys { uploads[word] = nil }
            return old.values.map(\.document)
        }
        for document in old { document.cancel() }
        return word
    }

    func document(_ word: String?) throws(BrowseRefusal) -> any IncomingDocument {
        let document = word.flatMap { word in
            uploads.withLock { uploads in
                uploads[word]?.lastUse = .now
                return uploads[word]?.document
            }
        }
        guard let document else { throw BrowseRefusal("it is no longer being added") }
        return document
    }

    func remove(_ word: String?) -> (any IncomingDocument)? {
        word.flatMap { word in uploads.withLock { $0.removeValue(forKey: word)?.document } }
    }

    /// Nothing is left of what has not come whole.
    func cancelAll() {
        let rest = uploads.withLock { uploads in
            defer { uploads = [:] }
            return uploads.values.map(\.document)
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
        let offset = Int64(Self.number("offset", of: request) ?? -1)
        try await onBlockingThread { () throws(BrowseRefusal) in try document.add(Array(body), at: offset) }
        return Answer.nothing
    }

    func endUpload(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let word = Self.value("upload", of: request)
        let document = try uploads.document(word)
        let size = Int64(Self.number("size", of: request) ?? -1)
        let isNumbered = Self.value("taken", of: request) == "number"
        try await onBlockingThread { () throws(BrowseRefusal) in
            try document.finish(size: size, isNumbered: isNumbered)
        }
        _ = uploads.remove(word)
        return Answer.nothing
    }

    func cancelUpload(_ request: HTTPRequest) async -> HTTPResponse {
        if let document = uploads.remove(Self.value("upload", of: request)) {
            await onBlockingThread { document.cancel() }
        }
        return Answer.nothing
    }
}
