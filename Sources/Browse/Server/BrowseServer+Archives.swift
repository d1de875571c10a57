import FlyingFox
import Foundation
import LinuxFiles
import Synchronization

/// Several documents, or folders, as one zip archive: the page says which, and the browser then saves what it was given an address of.
extension BrowseServer {
    private struct Wanted: Decodable { let ids: [String] }
    private struct Given: Encodable { let archive: String }

    func prepareArchive(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        guard let wanted = await decoded(Wanted.self, request) else {
            return Answer.text(.badRequest, "that is no list of documents")
        }
        let rows = try documents(wanted.ids)
        let prepared = try await onBlockingThread { [mount] () throws(BrowseRefusal) in try mount.archive(of: rows) }
        return Answer.json(Given(archive: archives.add(prepared)))
    }

    func archive(_ request: HTTPRequest) throws(BrowseRefusal) -> HTTPResponse {
        guard let word = Self.value("archive", of: request), let documents = archives.take(word) else {
            throw BrowseRefusal("that archive is no longer there; choose its documents again")
        }
        var response = HTTPResponse(statusCode: .ok)
        response.payload = .httpBody(HTTPBodySequence(from: ArchiveBody(documents), suggestedBufferSize: 1 << 18))
        response.headers[.contentType] = "application/zip"
        response.headers[.contentDisposition] = Self.attachment(documents.name)
        return Answer.headed(response)
    }
}

/// Archives that a page asked for, and which the browser has not begun to save.
final class PreparedArchives: Sendable {
    /// Older ones are forgotten: somebody clicked and never saved.
    private static let most = 8

    private let prepared = Mutex<[(word: String, documents: ArchivedDocuments)]>([])

    /// - Returns: a word that nobody can guess.
    func add(_ documents: ArchivedDocuments) -> String {
        let word = randomWord()
        prepared.withLock { prepared in
            prepared.append((word, documents))
            if prepared.count > Self.most { prepared.removeFirst() }
        }
        return word
    }

    /// Once only.
    func take(_ word: String) -> ArchivedDocuments? {
        prepared.withLock { prepared in
            prepared.firstIndex { $0.word == word }.map { prepared.remove(at: $0).documents }
        }
    }
}
