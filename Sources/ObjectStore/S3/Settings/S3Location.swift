import Documents
import Foundation

/// How a bucket's name is put into the address.
public enum S3Addressing: String, Sendable, CaseIterable {
    /// `https://HOST/BUCKET/KEY`
    case path
    /// `https://BUCKET.HOST/KEY`
    case virtual
}

/// A container in a bucket, as a cloud URL names it: `s3://BUCKET/PREFIX?endpoint=URL&region=R&addressing=path`.
/// Settings that it leaves out come from the environment (`S3Settings`).
public struct S3Location: Hashable, Sendable {
    /// 3 to 63 bytes, if it was read from a URL.
    public let bucket: String
    /// The beginning of all keys; empty for the whole bucket.
    public let prefix: [String]
    /// Nil for the one of the environment, or AWS.
    public var endpoint: S3Endpoint?
    /// Nil for the one of the environment, or `us-east-1`.
    public var region: String?
    /// Nil for `path`, and on AWS for `virtual` if the bucket's name has no dot.
    public var addressing: S3Addressing?

    /// S3 allows keys of 1,024 bytes; the container's own need up to 345.
    private static let longestPrefix = 512

    public init(
        bucket: String, prefix: [String] = [], endpoint: S3Endpoint? = nil, region: String? = nil,
        addressing: S3Addressing? = nil
    ) {
        self.bucket = bucket
        self.prefix = prefix
        self.endpoint = endpoint
        self.region = region
        self.addressing = addressing
    }

    /// - Parameter rest: the URL without `s3:`.
    init(_ rest: Substring, url: String) throws(CloudURLError) {
        func refused(_ reason: String) -> CloudURLError {
            CloudURLError(description: "the cloud URL '\(url)' \(reason); use s3://BUCKET/PREFIX?endpoint=URL&region=R")
        }
        guard rest.hasPrefix("//") else { throw refused("names no bucket") }
        if rest.contains("#") { throw refused("has a '#', which must be written %23") }
        let halves = rest.dropFirst(2).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard Self.isBucket(path[0]) else {
            throw refused("names no bucket (3 to 63 letters, digits, dots and dashes)")
        }
        guard let prefix = Self.prefix(path.count > 1 ? path[1] : "") else { throw refused("has an impossible prefix") }
        self.init(bucket: String(path[0]), prefix: prefix)
        guard halves.count > 1, !halves[1].isEmpty else { return }
        for item in halves[1].split(separator: "&", omittingEmptySubsequences: false) {
            if let reason = set(item) { throw refused(reason) }
        }
    }

    /// Reads one `key=value` of the query.
    ///
    /// - Returns: what is wrong with it.
    private mutating func set(_ item: Substring) -> String? {
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let value = PercentEncoding.decode(parts[1]), !value.isEmpty else {
            return "has no value for '\(parts[0])'"
        }
        switch parts[0] {
        case "endpoint":
            guard let endpoint = S3Endpoint(value) else {
                return "has an endpoint that is no http:// or https:// URL of a server"
            }
            self.endpoint = endpoint
        case "region":
            guard Self.isRegion(value) else { return "has an impossible region" }
            region = value
        case "addressing":
            guard let addressing = S3Addressing(rawValue: value) else {
                return "has an addressing other than path or virtual"
            }
            self.addressing = addressing
        default: return "has an unknown setting '\(parts[0])'"
        }
        return nil
    }

    /// The URL in its shortest form.
    var text: String {
        let settings = [
            endpoint.map { "endpoint=\($0)" }, region.map { "region=\($0)" },
            addressing.map { "addressing=\($0.rawValue)" },
        ].compactMap(\.self)
        return "s3://\(bucket)" + prefix.map { "/" + PercentEncoding.encode($0) }.joined()
            + (settings.isEmpty ? "" : "?" + settings.joined(separator: "&"))
    }

    private static func isBucket(_ text: Substring) -> Bool {
        (3...63).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
            && text.first != "." && text.last != "." && !text.contains("..")
    }

    static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func prefix(_ text: Substring) -> [String]? {
        if text.isEmpty { return [] }
        let text = text.hasSuffix("/") ? text.dropLast() : text
        let components = text.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.decode($0) }
        guard !components.contains(nil), let key = ObjectKey(components.compactMap { $0 }),
            key.description.utf8.count <= longestPrefix
        else { return nil }
        return key.components
    }
}
