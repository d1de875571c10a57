import Documents

/// One page of ListObjectsV2.
struct ObjectListing: Equatable, Sendable {
    /// Whole keys, decoded.
    let keys: [String]
    /// Where the next page begins; nil after the last.
    let continuation: String?

    /// - Returns: nil for what is no such document.
    init?(_ document: XMLElement) {
        guard document.name == "ListBucketResult" else { return nil }
        let isEncoded = document["EncodingType"] == "url"
        var keys: [String] = []
        for item in document.children(named: "Contents") {
            guard let text = item["Key"], let key = isEncoded ? PercentEncoding.decode(text, plusIsSpace: true) : text
            else { return nil }
            keys.append(key)
        }
        let isTruncated = document["IsTruncated"] == "true"
        let token = document["NextContinuationToken"] ?? ""
        guard !isTruncated || !token.isEmpty else { return nil }
        self.keys = keys
        continuation = isTruncated ? token : nil
    }
}
