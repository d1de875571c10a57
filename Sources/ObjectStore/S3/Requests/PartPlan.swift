/// Which documents are sent in parts, how they are cut, and put together again.
struct PartPlan: Equatable, Sendable {
    /// S3 takes at most 10,000 parts.
    private static let mostParts: Int64 = 10_000
    private static let unit: Int64 = 1 << 20

    /// Longer documents are sent in parts. S3's own limit is 5 GiB.
    var longestSinglePut: Int64 = 64 << 20
    /// S3 accepts no part below 5 MiB except the last.
    var shortestPart: Int64 = 16 << 20
    var partsAtOnce = 4

    /// The same length for all parts but the last: some servers require that.
    func partLength(of length: Int64) -> Int64 {
        let needed = (length + Self.mostParts - 1) / Self.mostParts
        return max(shortestPart, (needed + Self.unit - 1) / Self.unit * Self.unit)
    }

    func slices(of content: ContentSlice) -> [ContentSlice] {
        let length = partLength(of: content.count)
        return stride(from: content.range.lowerBound, to: content.range.upperBound, by: Int(length)).map { start in
            ContentSlice(
                content: content.content, range: start..<min(start + length, content.range.upperBound),
                key: content.key,
                progress: content.progress)
        }
    }

    /// The document that completes an upload.
    static func completion(_ tags: [String]) -> String {
        let parts = tags.enumerated().map { index, tag in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(escaped(tag))</ETag></Part>"
        }
        return "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            + parts.joined() + "</CompleteMultipartUpload>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
