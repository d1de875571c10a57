/// How a browser shows a content without saving it.
package struct Preview: Equatable {
    package enum Kind: String, Sendable, Encodable { case text, image, audio, video, pdf }

    package let kind: Kind
    /// The media type under which a browser is given the content. Never one that can hold programs of this origin: an image in SVG is shown as
    /// an image only, and texts are not given as they are but in an answer for the page.
    let type: String

    /// What is not known by its extension may be a text.
    package init(ofName name: String) {
        let pathExtension = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
        (kind, type) = Self.known[pathExtension] ?? (.text, "text/plain; charset=utf-8")
    }

    /// What Chromium and Firefox can show.
    private static let known: [String: (Kind, String)] = [
        "png": (.image, "image/png"), "jpg": (.image, "image/jpeg"), "jpeg": (.image, "image/jpeg"),
        "gif": (.image, "image/gif"), "webp": (.image, "image/webp"), "avif": (.image, "image/avif"),
        "bmp": (.image, "image/bmp"), "ico": (.image, "image/x-icon"), "svg": (.image, "image/svg+xml"),
        "mp3": (.audio, "audio/mpeg"), "m4a": (.audio, "audio/mp4"), "ogg": (.audio, "audio/ogg"),
        "oga": (.audio, "audio/ogg"), "opus": (.audio, "audio/ogg"), "wav": (.audio, "audio/wav"),
        "flac": (.audio, "audio/flac"), "aac": (.audio, "audio/aac"),
        "mp4": (.video, "video/mp4"), "m4v": (.video, "video/mp4"), "webm": (.video, "video/webm"),
        "ogv": (.video, "video/ogg"), "mov": (.video, "video/quicktime"), "mkv": (.video, "video/x-matroska"),
        "pdf": (.pdf, "application/pdf"),
    ]
}
