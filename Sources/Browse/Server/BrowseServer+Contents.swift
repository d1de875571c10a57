import FlyingFox
import FlyingSocks
import Foundation
import LinuxFiles
import SystemPackage

/// Contents of documents and of their versions.
extension BrowseServer {
    /// - Returns: the document, and which version of it is meant; nil for the current one.
    private func asked(_ request: HTTPRequest) throws(BrowseRefusal) -> (row: TableRow, version: VersionReference?) {
        let row = try document(Self.value("id", of: request))
        guard let text = Self.value("version", of: request) else { return (row, nil) }
        guard let version = VersionReference(text) else { throw BrowseRefusal("that is no version") }
        return (row, version)
    }

    private func open(_ row: TableRow, _ version: VersionReference?) async throws(BrowseRefusal) -> OpenContent {
        try await onBlockingThread { [mount] () throws(BrowseRefusal) in try mount.open(row, version) }
    }

    func facts(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let row = try document(Self.value("id", of: request))
        return Answer.json(
            try await onBlockingThread { [mount] () throws(BrowseRefusal) in try mount.facts(of: row) })
    }

    /// To be saved. A document is somebody's program for all we know, and never shown as a page of this origin.
    func content(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let (row, version) = try asked(request)
        let content = try await open(row, version)
        var response = part(of: content, request)
        response.headers[.contentType] = "application/octet-stream"
        response.headers[.contentDisposition] = Self.attachment(content.name)
        return Answer.headed(response)
    }

    /// To be looked at: an image, a sound, a film or a PDF.
    func preview(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let (row, version) = try asked(request)
        let content = try await open(row, version)
        let preview = Preview(ofName: content.name)
        var response = part(of: content, request)
        response.headers[.contentType] = preview.type
        response.headers[.contentDisposition] = "inline; filename*=UTF-8''\(Self.percentEncoded(content.name))"
        return Answer.headed(response, policy: preview.kind == .pdf ? Answer.pdfPolicy : Answer.contentPolicy)
    }

    func text(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let (row, version) = try asked(request)
        return Answer.json(try await text(of: row, version))
    }

    /// What a version was, and what the document is now. Long texts are not compared.
    func difference(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let (row, version) = try asked(request)
        let (left, right) = (try await text(of: row, version), try await text(of: row, nil))
        guard left.isWhole, right.isWhole else {
            throw BrowseRefusal("it is too long to be compared here; `docfs versions diff` compares it")
        }
        return Answer.json(await onBlockingThread { SideBySide(left.text, right.text) })
    }

    private func text(of row: TableRow, _ version: VersionReference?) async throws(BrowseRefusal) -> TextPreview {
        let content = try await open(row, version)
        let bytes: [UInt8]
        do {
            bytes = try await onBlockingThread { () throws(Errno) in
                // It was open for reading: nothing can be lost.
                defer { try? content.file.close() }
                var bytes: [UInt8] = []
                while bytes.count < TextPreview.longest {
                    let more = try content.file.bytes(at: Int64(bytes.count), count: TextPreview.longest - bytes.count)
                    if more.isEmpty { break }
                    bytes += more
                }
                return bytes
            }
        } catch { throw BrowseRefusal("\(content.name): \(error)") }
        guard let text = TextPreview(bytes, isWhole: Int64(bytes.count) >= content.size) else {
            throw BrowseRefusal("\(content.name): this cannot be shown here; save a copy, or open it in its program")
        }
        return text
    }

    private func part(of content: OpenContent, _ request: HTTPRequest) -> HTTPResponse {
        let part: Range<Int64>
        var response: HTTPResponse
        switch ByteRange(header: request.headers[.range], size: content.size) {
        case .all:
            part = 0..<content.size
            response = HTTPResponse(statusCode: .ok)
        case .part(let asked):
            part = asked
            response = HTTPResponse(statusCode: .partialContent)
            response.headers[.contentRange] = "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(content.size)"
        case .none:
            part = 0..<0
            response = HTTPResponse(statusCode: .rangeNotSatisfiable)
            response.headers[.contentRange] = "bytes */\(content.size)"
        }
        let body = FileBody(content.file, range: request.method == .HEAD ? 0..<0 : part)
        response.payload = .httpBody(HTTPBodySequence(from: body, count: part.count, suggestedBufferSize: 1 << 18))
        response.headers[.acceptRanges] = "bytes"
        return response
    }

    static func attachment(_ name: String) -> String { "attachment; filename*=UTF-8''\(percentEncoded(name))" }

    private static func percentEncoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.intersection(.init(charactersIn: "\0"..."~")))
            ?? "document"
    }
}
