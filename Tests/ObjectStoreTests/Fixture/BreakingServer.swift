import Testing

@testable import ObjectStore

/// How a server answers that has one object, understands ranges or not, and breaks its answers off.
struct BreakingServer: Sendable {
    let content: String
    var understandsRanges = true

    /// - Parameters:
    ///   - count: how many bytes of the answer's body are sent; nil for all.
    ///   - ending: what follows them.
    func reply(
        to request: ScriptedServer.Request, sending count: Int? = nil, then ending: ScriptedServer.Ending = .close
    ) -> ScriptedServer.Reply {
        let bytes = Array(content.utf8)
        let asked = understandsRanges ? request.range(of: bytes.count) : nil
        let body = bytes[asked ?? 0..<bytes.count]
        var headers = [("Content-Length", String(body.count))]
        if let asked {
            headers.append(("Content-Range", "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(bytes.count)"))
        }
        let status = asked == nil ? 200 : 206
        let sent = String(decoding: body.prefix(count ?? body.count), as: UTF8.self)
        guard count != nil else { return .answer(status, headers: headers, body: sent) }
        return .partial(status, headers: headers, body: sent, then: ending)
    }
}

extension ScriptedServer.Request {
    /// The bytes that are asked for, of an object of that length; nil for all.
    fileprivate func range(of length: Int) -> Range<Int>? {
        guard let text = self["Range"]?.dropFirst("bytes=".count) else { return nil }
        let ends = text.split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first, first < length else { return nil }
        return first..<min(length, ends.count > 1 ? ends[1] + 1 : length)
    }
}

extension ScriptedServer {
    /// The ranges asked for so far, in order; nil for a whole object.
    var ranges: [String?] { requests.map { $0["Range"] } }
}
