import FlyingFox
import Foundation

/// Answers to requests, and what each of them says: nothing from elsewhere is loaded, nothing is shown in another page, nothing is kept.
enum Answer {
    /// Of the page itself.
    private static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    /// Of a document's content: opened by itself it has no origin, and runs nothing.
    static let contentPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"
    /// A browser shows no PDF in a sandbox. It runs what is in one apart from this origin.
    static let pdfPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

    static func headed(_ response: HTTPResponse, policy: String = pagePolicy) -> HTTPResponse {
        var response = response
        response.headers[HTTPHeader("Content-Security-Policy")] = policy
        response.headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
        response.headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
        response.headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
        response.headers[HTTPHeader("Cross-Origin-Opener-Policy")] = "same-origin"
        response.headers[.cacheControl] = "no-store"
        return response
    }

    static var nothing: HTTPResponse { headed(HTTPResponse(statusCode: .noContent)) }

    static func text(_ code: HTTPStatusCode, _ text: String) -> HTTPResponse {
        headed(
            HTTPResponse(
                statusCode: code, headers: [.contentType: "text/plain; charset=utf-8"], body: Data((text + "\n").utf8)))
    }

    static func json(_ value: some Encodable) -> HTTPResponse {
        guard let body = try? JSONEncoder().encode(value) else { return text(.internalServerError, "not encoded") }
        return headed(
            HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json; charset=utf-8"], body: body))
    }

    /// Sets the cookie, and has the page itself go on: a browser that came from elsewhere would not send a strict cookie at once.
    static func welcome(_ cookie: String) -> HTTPResponse {
        var response = HTTPResponse(
            statusCode: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: Data("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=/\"><title>docfs</title>\n".utf8))
        response.headers[.setCookie] = cookie
        return headed(response)
    }

    static func file(_ name: String) -> HTTPResponse {
        guard let file = PageFile.named(name) else { return text(.notFound, "there is no such page") }
        return headed(
            HTTPResponse(statusCode: .ok, headers: [.contentType: file.type], body: Data(file.bytes)))
    }
}
