import FlyingFox
import FlyingSocks
import Foundation
import LinuxFiles
import SystemPackage

/// Serves the page and the table. It listens behind the gate only.
package final class BrowseServer: Sendable {
    private static let longestBody = 1 << 20
    /// A page that waits for a change asks again after this.
    private static let longestWait = Duration.seconds(10)
    private static let mostRows = 500

    private let table: LiveTable
    private let mount: any BrowsedMount
    private let gate: Gate
    private let guarding: RequestGuard

    /// The address to open. It holds the key.
    package let address: String

    /// - Throws: `BrowseRefusal` if no port is free.
    package init(table: LiveTable, mount: any BrowsedMount) throws(BrowseRefusal) {
        self.table = table
        self.mount = mount
        do throws(Errno) { gate = try Gate() } catch {
            throw BrowseRefusal("cannot listen on 127.0.0.1 and ::1: \(error)")
        }
        let key = randomWord()
        guarding = RequestGuard(port: gate.port, key: key, session: randomWord())
        address = "http://127.0.0.1:\(gate.port)/?key=\(key)"
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameters:
    ///   - folder: nobody else may reach what is in it.
    ///   - ready: called when the address can be opened.
    package func run(in folder: String, ready: @escaping @Sendable () -> Void) async throws {
        let socket = folder + "/socket"
        let server = HTTPServer(
            address: .unix(path: socket), timeout: 60, logger: .disabled,
            handler: ClosureHTTPHandler { request in await self.answer(request) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { [gate] in
                try await server.waitUntilListening()
                gate.open(to: socket)
                ready()
            }
            while try await group.next() != nil {}
        }
    }

    // MARK: Requests

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        switch guarding.decide(Self.facts(of: request)) {
        case .refuse(let reason): return Self.text(.forbidden, reason)
        case .welcome: return Self.welcome(guarding.setCookie)
        case .answer: break
        }
        do throws(BrowseRefusal) { return try await route(request) } catch {
            return Self.text(.conflict, error.reason)
        }
    }

    private static func facts(of request: HTTPRequest) -> RequestGuard.Request {
        var facts = RequestGuard.Request()
        facts.isReading = request.method == .GET || request.method == .HEAD
        facts.path = request.path
        facts.key = request.query.first { $0.name == "key" }?.value
        facts.host = request.headers[.host]
        facts.origin = request.headers[HTTPHeader("Origin")]
        facts.fetchSite = request.headers[HTTPHeader("Sec-Fetch-Site")]
        facts.cookie = request.headers[.cookie]
        return facts
    }

    private func route(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        switch (request.method, request.path) {
        case (.GET, "/"): return Self.file("index.html")
        case (.GET, "/rows"): return await rows(request)
        case (.GET, "/changes"): return await changes(request)
        case (.GET, "/content"), (.HEAD, "/content"): return try await content(request)
        case (.POST, "/action"): return try await act(request)
        case (.GET, _): return Self.file(String(request.path.dropFirst()))
        default: return Self.text(.methodNotAllowed, "nothing is done by that")
        }
    }

    // MARK: Rows

    private struct Rows: Encodable {
        struct Row: Encodable {
            let id: String
            let kind: TableRow.Kind
            let depth: Int
            let name: String
            let isOpen: Bool
            let details: RowDetails
        }

        let start: Int
        let update: LiveTable.Update
        let rows: [Row]
    }

    private func rows(_ request: HTTPRequest) async -> HTTPResponse {
        let start = Self.number("from", of: request) ?? 0
        let count = min(Self.number("count", of: request) ?? 100, Self.mostRows)
        let (rows, update) = table.rows(from: start, count: count)
        let details = await onBlockingThread { [mount] in mount.details(of: Array(rows)) }
        return Self.json(
            Rows(
                start: rows.startIndex, update: update,
                rows: zip(rows, details).map {
                    .init(
                        id: $0.id, kind: $0.kind, depth: $0.depth, name: $0.name, isOpen: $0.isOpen, details: $1)
                }))
    }

    private func changes(_ request: HTTPRequest) async -> HTTPResponse {
        let known = Self.number("since", of: request) ?? -1
        let update = await withTaskGroup(of: LiveTable.Update?.self) { group in
            group.addTask { [table] in await table.update(since: known) }
            group.addTask {
                // Cancelled when there is an update.
                try? await Task.sleep(for: Self.longestWait)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let update else { return Self.headed(HTTPResponse(statusCode: .noContent)) }
        return Self.json(update)
    }

    // MARK: Documents

    private func document(_ id: String?) throws(BrowseRefusal) -> TableRow {
        guard let id, let row = table.row(id) else { throw BrowseRefusal("that is no longer in the table") }
        return row
    }

    private func content(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        let row = try document(request.query.first { $0.name == "id" }?.value)
        let content = try await onBlockingThread { [mount] () throws(BrowseRefusal) in try mount.open(row) }
        let range = ByteRange(header: request.headers[.range], size: content.size)
        let part: Range<Int64>
        var response: HTTPResponse
        switch range {
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
        response.payload = .httpBody(
            HTTPBodySequence(from: body, count: part.count, suggestedBufferSize: 1 << 18))
        response.headers[.acceptRanges] = "bytes"
        // A document is somebody's program for all we know: it is saved, and never shown as a page of this origin.
        response.headers[.contentType] = "application/octet-stream"
        response.headers[.contentDisposition] = "attachment; filename*=UTF-8''\(Self.percentEncoded(content.name))"
        return Self.headed(response)
    }

    private struct Wish: Decodable {
        let action: String
        var ids: [String]?
        var name: String?
        /// The row over which the others are dropped, or to which they are moved.
        var target: String?
        var edge: DropTarget.Edge?
    }

    private func act(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        guard let count = request.bodySequence.count, count <= Self.longestBody,
            let body = try? await request.bodyData,
            let wish = try? JSONDecoder().decode(Wish.self, from: body)
        else { return Self.text(.badRequest, "that is no action") }
        switch wish.action {
        case "toggle":
            let row = try document(wish.ids?.first)
            await onBlockingThread { [mount] in mount.toggle(row) }
        case "edit", "endEdit":
            await onBlockingThread { [mount] in mount.setEditing(wish.action == "edit") }
        case "filter":
            let text = wish.name ?? ""
            try await onBlockingThread { [mount] () throws(BrowseRefusal) in try mount.setFilter(text) }
        default:
            guard let action = try action(wish) else { break }
            try await onBlockingThread { [mount] () throws(BrowseRefusal) in try mount.perform(action) }
        }
        return Self.headed(HTTPResponse(statusCode: .noContent))
    }

    /// - Returns: nil for one that leaves all as it is.
    private func action(_ wish: Wish) throws(BrowseRefusal) -> BrowseAction? {
        switch wish.action {
        case "undo": return .undo
        case "redo": return .redo
        case "download": return .download(try documents(wish))
        case "freeUp": return .freeUp(try documents(wish))
        case "keep": return .keep(try documents(wish), true)
        case "release": return .keep(try documents(wish), false)
        case "rename": return .rename(try document(wish.ids?.first), wish.name ?? "")
        case "delete": return .delete(try documents(wish))
        case "move": return .move(try documents(wish), into: try document(wish.target))
        case "create": return .create(in: try document(wish.target), wish.name ?? "")
        case "drop": return try drop(wish)
        default: throw BrowseRefusal("\(wish.action) is no action")
        }
    }

    private func drop(_ wish: Wish) throws(BrowseRefusal) -> BrowseAction? {
        let rows = try documents(wish)
        switch table.drop(rows.map(\.id), over: wish.target ?? "", wish.edge ?? .on) {
        case .into(let folder): return .move(rows, into: try document(folder))
        case .beside(let id, let side): return .place(rows, beside: try document(id), side)
        case .nowhere: return nil
        case .refused(let reason): throw BrowseRefusal(reason)
        }
    }

    /// The rows, but for those that lie in another one of them: what is done with that one is done with them.
    private func documents(_ wish: Wish) throws(BrowseRefusal) -> [TableRow] {
        let ids = TableRow.outermost(wish.ids ?? [])
        if ids.isEmpty { throw BrowseRefusal("no document is chosen") }
        let rows = table.rows(ids)
        if rows.count < Set(ids).count { throw BrowseRefusal("some of them are no longer in the table") }
        if rows.contains(where: { $0.kind == .newDocument }) { throw BrowseRefusal("that is no document") }
        return rows
    }

    // MARK: Answers

    private static func number(_ name: String, of request: HTTPRequest) -> Int? {
        request.query.first { $0.name == name }.flatMap { Int($0.value) }
    }

    private static func percentEncoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.intersection(.init(charactersIn: "\0"..."~")))
            ?? "document"
    }

    /// What every answer says: nothing from elsewhere is loaded, nothing is shown in another page, nothing is kept.
    private static func headed(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers[HTTPHeader("Content-Security-Policy")] =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        response.headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
        response.headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
        response.headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
        response.headers[HTTPHeader("Cross-Origin-Opener-Policy")] = "same-origin"
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private static func text(_ code: HTTPStatusCode, _ text: String) -> HTTPResponse {
        headed(
            HTTPResponse(
                statusCode: code, headers: [.contentType: "text/plain; charset=utf-8"], body: Data((text + "\n").utf8)))
    }

    private static func json(_ value: some Encodable) -> HTTPResponse {
        guard let body = try? JSONEncoder().encode(value) else { return text(.internalServerError, "not encoded") }
        return headed(
            HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json; charset=utf-8"], body: body))
    }

    /// Sets the cookie, and has the page itself go on: a browser that came from elsewhere would not send a strict cookie at once.
    private static func welcome(_ cookie: String) -> HTTPResponse {
        var response = HTTPResponse(
            statusCode: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: Data("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=/\"><title>docfs</title>\n".utf8))
        response.headers[.setCookie] = cookie
        return headed(response)
    }

    private static func file(_ name: String) -> HTTPResponse {
        guard let file = PageFile.named(name) else { return text(.notFound, "there is no such page") }
        return headed(
            HTTPResponse(statusCode: .ok, headers: [.contentType: file.type], body: Data(file.bytes)))
    }
}

/// 256 random bits of the system's generator, in hexadecimal digits.
private func randomWord() -> String {
    (0..<4).map { _ in
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
}
