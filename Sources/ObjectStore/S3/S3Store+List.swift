/// Listing, page by page.
extension S3Store {
    /// Servers that keep objects as files list a folder before its siblings whose names go on with a byte
    /// below `/`. Keys that differ in such a way are sorted here as far as they arrived in one call.
    public func list(
        _ prefix: ObjectKey, after: ObjectKey?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectKey] {
        guard limit > 0 else { return [] }
        var found: [ObjectKey] = []
        var continuation: String?
        do throws(S3Failure) {
            repeat {
                let page = try await page(prefix, after, limit - found.count, continuation)
                if let next = page.continuation, next == continuation { throw .malformed("a listing does not get on") }
                found += page.keys.compactMap(key).filter { isWanted($0, below: prefix, after: after) }
                continuation = page.continuation
            } while continuation != nil && found.count < limit
        } catch { throw error.error(prefix) }
        return Array(found.sorted().prefix(limit))
    }

    private func page(
        _ prefix: ObjectKey, _ after: ObjectKey?, _ limit: Int, _ continuation: String?
    ) async throws(S3Failure) -> ObjectListing {
        var query = [
            Field("list-type", "2"), Field("encoding-type", "url"), Field("prefix", name(prefix) + "/"),
            Field("max-keys", String(min(limit, 1000))),
        ]
        if let continuation {
            query.append(Field("continuation-token", continuation))
        } else if let after {
            query.append(Field("start-after", name(after)))
        }
        return try await client.perform(S3Request(.get, nil, query: query)) { response throws(S3Failure) in
            guard let listing = ObjectListing(try await response.document()) else {
                throw .malformed("it is no listing")
            }
            return listing
        }
    }

    /// The key of an object in the container; nil for what is none of ours.
    private func key(_ name: String) -> ObjectKey? {
        let start = prefix.isEmpty ? "" : prefix.joined(separator: "/") + "/"
        let name = WireName.decode(name)
        guard name.utf8.starts(with: start.utf8) else { return nil }
        return ObjectKey(String(decoding: name.utf8.dropFirst(start.utf8.count), as: UTF8.self))
    }

    private func isWanted(_ key: ObjectKey, below prefix: ObjectKey, after: ObjectKey?) -> Bool {
        key.description.utf8.starts(with: (prefix.description + "/").utf8) && after.map { $0 < key } ?? true
    }
}
