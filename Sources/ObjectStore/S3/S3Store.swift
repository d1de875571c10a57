import Documents
import SystemPackage

/// Objects in a bucket of S3, or of anything that speaks its language and honours `If-None-Match: *`.
///
/// An attempt whose answer is lost may have succeeded; its repetition then finds the object and returns `alreadyExists`.
/// A caller to whom the difference matters reads the object and recognises its own.
public struct S3Store: ObjectStore {
    let client: S3Client
    let prefix: [String]
    let parts: PartPlan

    /// Opens the store; talks to nobody yet.
    ///
    /// - Parameter renewal: reads credentials from where they may have been renewed, when a request was refused.
    public init(
        _ settings: S3Settings, surroundings: S3Surroundings = .system,
        renewal: (@Sendable () async -> S3Credentials?)? = nil
    ) {
        self.init(settings, policy: RetryPolicy(), surroundings: surroundings, renewal: renewal)
    }

    init(
        _ settings: S3Settings, policy: RetryPolicy, surroundings: S3Surroundings, parts: PartPlan = PartPlan(),
        patience: S3Patience = S3Patience(), renewal: S3CredentialsRenewal? = nil
    ) {
        client = S3Client(settings, policy, surroundings, patience, renewal: renewal)
        prefix = settings.location.prefix
        self.parts = parts
    }

    /// The whole key of an object, below the container's prefix.
    func name(_ key: ObjectKey) -> String { WireName.encode((prefix + key.components).joined(separator: "/")) }

    public func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await put(key, .bytes(bytes))
    }

    public func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        let slice = ContentSlice(content: content, range: 0..<length, key: key, progress: UploadProgress(progress))
        if length <= Self.longestInMemory { return try await put(key, .bytes(try await slice.bytes())) }
        return length > parts.longestSinglePut ? try await putInParts(slice) : try await put(key, .file(slice))
    }

    /// Content up to this length is read into memory once, instead of once for its hash and once for sending.
    private static let longestInMemory: Int64 = 64 << 10

    private func put(_ key: ObjectKey, _ body: S3Request.Body) async throws(ObjectStoreError) -> PutOutcome {
        let request = S3Request(.put, name(key), headers: [S3Request.ifAbsent], body: body)
        return try await Self.outcome(key) { () throws(S3Failure) in
            try await client.perform(request) { response throws(S3Failure) in
                // Something else answered for the server, such as a hotel's login page, and stored nothing.
                if response.header("etag") == nil { throw .malformed("an object that was made has no entity tag") }
            }
        }
    }

    /// Turns "the condition does not hold" into a result: it is not a failure.
    static func outcome(
        _ key: ObjectKey, of creation: () async throws(S3Failure) -> Void
    ) async throws(ObjectStoreError) -> PutOutcome {
        do throws(S3Failure) {
            try await creation()
            return .created
        } catch {
            if case .refused(let refusal) = error, refusal.status == 412 { return .alreadyExists }
            throw error.error(key)
        }
    }

    public func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        let object: ArrivingObject
        do throws(S3Failure) { object = try await client.read(ArrivingObject(limit: limit), of: name(key)) } catch {
            throw error.error(key)
        }
        if object.isTooLong { throw .corrupted(key, "it is larger than \(limit) bytes") }
        return object.bytes
    }

    public func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await get(key, range: range) { _ in }
    }

    public func get(
        _ key: ObjectKey, range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        do throws(S3Failure) {
            if range.isEmpty {
                _ = try await length(of: name(key))
                return []
            }
            return try await client.read(ArrivingObject(range, arrived: arrived), of: name(key)).bytes
        } catch { throw error.error(key) }
    }

    public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
        do throws(S3Failure) {
            try await client.perform(S3Request(.delete, name(key))) { _ throws(S3Failure) in }
        } catch {
            let error = error.error(key)
            if error != .notFound(key) { throw error }
        }
    }

    public func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        do throws(S3Failure) {
            return try await client.perform(S3Request(.head, name(key))) { response throws(S3Failure) in
                guard let time = response.header("last-modified").flatMap(Timestamp.init(httpDate:)) else {
                    throw .malformed("an object has no time")
                }
                return time
            }
        } catch { throw error.error(key) }
    }

    public func now() async throws(ObjectStoreError) -> Timestamp {
        // Any answer tells the time. This object is there from the beginning, and if not, the answer is as good.
        let key = ObjectKey(valid: ["container"])
        do throws(S3Failure) {
            return try await client.perform(S3Request(.head, name(key))) { response throws(S3Failure) in
                guard let time = response.header("date").flatMap(Timestamp.init(httpDate:)) else {
                    throw .malformed("an answer has no time")
                }
                return time
            }
        } catch {
            guard case .refused(let refusal) = error, refusal.status == 404 else { throw error.error(key) }
            guard let time = refusal.date else { throw S3Failure.malformed("an answer has no time").error(key) }
            return time
        }
    }

    /// Asks for an object's length without its content.
    func length(of name: String) async throws(S3Failure) -> Int64? {
        try await client.perform(S3Request(.head, name)) { response throws(S3Failure) in
            response.header("content-length").flatMap { Int64($0) }
        }
    }
}
