import FlyingFox
import FlyingSocks
import Foundation
import LinuxFiles
import SystemPackage

/// Serves the page and the table. It listens behind the gate only.
package final class BrowseServer: Sendable {
    private static let longestBody = 1 << 20
    /// Seconds. A content may have to be fetched before a document is restored; a page is told sooner how that goes by the table.
    private static let longestAnswer: TimeInterval = 86_400
    /// A page that waits for a change asks again after this.
    private static let longestWait = Duration.seconds(10)
    private static let mostRows = 500
    private static let mostActions = 1000

    let table: LiveTable
    let mount: any BrowsedMount
    let uploads = Uploads()
    let archives = PreparedArchives()
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
            address: .unix(path: socket), timeout: Self.longestAnswer, logger: .disabled,
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

    /// Called when it serves no more.
    package func clean() { uploads.cancelAll() }

    // MARK: Requests

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        switch guarding.decide(Self.facts(of: request)) {
        case .refuse(let reason): return Answer.text(.forbidden, reason)
        case .welcome: return Answer.welcome(guarding.setCookie)
        case .answer: break
        }
        do throws(BrowseRefusal) { return try await route(request) } catch {
            return Answer.text(error.isNameTaken ? .preconditionFailed : .conflict, error.reason)
        }
    }

    private static func facts(of request: HTTPRequest) -> RequestGuard.Request {
        var facts = RequestGuard.Request()
        facts.isReading = request.method == .GET || request.method == .HEAD
        facts.path = request.path
        facts.key = value("key", of: request)
        facts.host = request.headers[.host]
        facts.origin = request.headers[HTTPHeader("Origin")]
        facts.fetchSite = request.headers[HTTPHeader("Sec-Fetch-Site")]
        facts.cookie = request.headers[.cookie]
        facts.isFromScript = request.headers[HTTPHeader("X-Docfs")] == "1"
        return facts
    }

    private func route(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        switch (request.method, request.path) {
        case (.GET, "/"): return Answer.file("index.html")
        case (.GET, "/rows"): return await rows(request)
        case (.GET, "/changes"): return await changes(request)
        case (.GET, "/content"), (.HEAD, "/content"): return try await content(request)
        case (.GET, "/preview"), (.HEAD, "/preview"): return try await preview(request)
        case (.GET, "/text"): return try await text(request)
        case (.GET, "/difference"): return try await difference(request)
        case (.POST, "/archive"): return try await prepareArchive(request)
        case (.GET, "/archive"): return try archive(request)
        case (.GET, "/history"): return try await history()
        case (.GET, "/facts"): return try await facts(request)
        case (.POST, "/action"): return try await act(request)
        case (.POST, "/uploads"): return try await beginUpload(request)
        case (.PUT, "/uploads"): return try await addPiece(request)
        case (.POST, "/uploads/end"): return try await endUpload(request)
        case (.DELETE, "/uploads"): return await cancelUpload(request)
        case (.GET, _): return Answer.file(String(request.path.dropFirst()))
        default: return Answer.text(.methodNotAllowed, "nothing is done by that")
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
        return Answer.json(
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
        guard let update else { return Answer.nothing }
        return Answer.json(update)
    }

    private func history() async throws(BrowseRefusal) -> HTTPResponse {
        Answer.json(try await onBlockingThread { [mount] () throws(BrowseRefusal) in try mount.history() })
    }

    // MARK: Actions

    func document(_ id: String?) throws(BrowseRefusal) -> TableRow {
        guard let id, let row = table.row(id) else { throw BrowseRefusal("that is no longer in the table") }
        return row
    }

    private struct Wish: Decodable {
        let action: String
        var ids: [String]?
        var name: String?
        /// Of actions, the last of which has this name and time.
        var count: Int?
        var time: String?
        var seen: SeenContents?
        /// Of a document: `conflicts/NAME` or `versions/NAME`.
        var version: String?
        /// The row over which the others are dropped, or to which they are moved.
        var target: String?
        var edge: DropTarget.Edge?
    }

    private func act(_ request: HTTPRequest) async throws(BrowseRefusal) -> HTTPResponse {
        guard let wish = await decoded(Wish.self, request) else { return Answer.text(.badRequest, "that is no action") }
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
        return Answer.nothing
    }

    /// The body of a request, as JSON; nil where it is something else, or too long.
    func decoded<Value: Decodable>(_ type: Value.Type, _ request: HTTPRequest) async -> Value? {
        guard let count = request.bodySequence.count, count <= Self.longestBody,
            let body = try? await request.bodyData
        else { return nil }
        return try? JSONDecoder().decode(type, from: body)
    }

    /// - Returns: nil for one that leaves all as it is.
    private func action(_ wish: Wish) throws(BrowseRefusal) -> BrowseAction? {
        switch wish.action {
        case "undo": return .undo(try count(wish))
        case "redo": return .redo(try count(wish))
        case "restoreFromTrash": return .restoreFromTrash(key: wish.name ?? "")
        case "emptyTrash": return .emptyTrash
        case "prefer" where ["cloud", "local"].contains(wish.name): return .prefer(cloud: wish.name == "cloud")
        case "open": return .open(try document(wish.ids?.first))
        case "download": return .download(try documents(wish))
        case "freeUp": return .freeUp(try documents(wish))
        case "keep": return .keep(try documents(wish), true)
        case "release": return .keep(try documents(wish), false)
        case "keepCurrent": return try resolve(wish, .current)
        case "keepAll": return try resolve(wish, .all)
        case "keepVersion": return try resolve(wish, .version(try version(wish).name))
        case "restore": return .restore(try document(wish.ids?.first), try version(wish))
        case "rename": return .rename(try document(wish.ids?.first), wish.name ?? "")
        case "delete": return .delete(try documents(wish))
        case "move": return .move(try documents(wish), into: try document(wish.target))
        case "create": return .create(in: try document(wish.target), wish.name ?? "")
        case "drop": return try drop(wish)
        default: throw BrowseRefusal("\(wish.action) is no action")
        }
    }

    private func count(_ wish: Wish) throws(BrowseRefusal) -> ActionCount {
        guard let count = wish.count else { return ActionCount(count: 1, last: nil) }
        guard (1...Self.mostActions).contains(count), let name = wish.name, let time = wish.time else {
            throw BrowseRefusal("that is no number of actions")
        }
        return ActionCount(count: count, last: (name, time))
    }

    private func resolve(_ wish: Wish, _ choice: ConflictChoice) throws(BrowseRefusal) -> BrowseAction {
        guard let seen = wish.seen else { throw BrowseRefusal("nobody has seen the contents") }
        return .resolve(try document(wish.ids?.first), choice, seen: seen)
    }

    private func version(_ wish: Wish) throws(BrowseRefusal) -> VersionReference {
        guard let version = wish.version.flatMap({ VersionReference($0) }) else {
            throw BrowseRefusal("that is no version")
        }
        return version
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
    private func documents(_ wish: Wish) throws(BrowseRefusal) -> [TableRow] { try documents(wish.ids ?? []) }

    func documents(_ ids: [String]) throws(BrowseRefusal) -> [TableRow] {
        let ids = TableRow.outermost(ids)
        if ids.isEmpty { throw BrowseRefusal("no document is chosen") }
        let rows = table.rows(ids)
        if rows.count < Set(ids).count { throw BrowseRefusal("some of them are no longer in the table") }
        if rows.contains(where: { $0.kind == .newDocument }) { throw BrowseRefusal("that is no document") }
        return rows
    }

    // MARK: Parameters

    static func value(_ name: String, of request: HTTPRequest) -> String? {
        request.query.first { $0.name == name }?.value
    }

    static func number(_ name: String, of request: HTTPRequest) -> Int? {
        value(name, of: request).flatMap { Int($0) }
    }
}

/// 256 random bits of the system's generator, in hexadecimal digits.
func randomWord() -> String {
    (0..<4).map { _ in
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
}
