/// How a large document is cut, and put together again.
enum PartPlan {
    /// S3 takes at most 10,000 parts, all but the last of at least 5 MiB; some servers want them equally long.
    private static let mostParts: Int64 = 10_000
    private static let shortestPart: Int64 = 16 << 20
    private static let unit: Int64 = 1 << 20

    static func partLength(of length: Int64) -> Int64 {
        let needed = (length + mostParts - 1) / mostParts
        return max(shortestPart, (needed + unit - 1) / unit * unit)
    }

    static func slices(of content: FileSlice) -> [FileSlice] {
        let step = partLength(of: content.count)
        return stride(from: content.range.lowerBound, to: content.range.upperBound, by: Int(step)).map { start in
            FileSlice(
                file: content.file, range: start..<min(start + step, content.range.upperBound), key: content.key,
                progress: content.progress)
        }
    }

    /// The document that completes an upload.
    static func completion(_ tags: [String]) -> String {
        let parts = tags.enumerated().map { index, tag in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(escaped(tag))</ETag></Part>"
        }
        return "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(parts.joined())</CompleteMultipartUpload>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
