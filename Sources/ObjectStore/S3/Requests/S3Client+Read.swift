/// Reading objects, in as many requests as it takes: a body that stalls or is cut is taken up again where it
/// stopped.
extension S3Client {
    /// Reads an object, or a part of it, as long as each try brings some of it or the policy allows another.
    ///
    /// - Parameter object: what is wanted of it.
    func read(_ object: ArrivingObject, of key: String) async throws(S3Failure) -> ArrivingObject {
        var object = object
        var tries = RequestTries()
        while true {
            let count = object.bytes.count
            let region = region
            tries.credentials = credentials
            let result = await oneTry(object, key, region, patience.stall(after: tries.stalls))
            object = result.object
            guard let failure = result.failure, !object.isComplete else { return object }
            if Task.isCancelled { throw .cancelled }
            // Nothing is there after the last byte of an object whose length nobody told.
            if case .refused(let refusal) = failure, refusal.status == 416, object.length == nil { return object }
            if object.bytes.count > count { tries.startAfresh() }
            try await prepareNext(after: failure, &tries, region)
        }
    }

    /// One request, up to where its answer ends, breaks off or stalls.
    private func oneTry(_ object: ArrivingObject, _ key: String, _ region: String, _ limit: Duration) async -> ReadTry {
        let watch = StallWatch(limit: limit)
        var result = await watch.run { [stall = patience.stall] in
            var result = ReadTry(object: object)
            let request = S3Request(.get, key, headers: object.range.map { [$0] } ?? [])
            do throws(S3Failure) {
                try await self.once(request, region) { response throws(S3Failure) in
                    try await result.object.read(response) { watch.arrived(nextWithin: stall) }
                }
            } catch { result.failure = error }
            return result
        }
        if result.failure != nil, watch.hasStalled { result.failure = .stalled }
        return result
    }
}

/// The result of one try.
private struct ReadTry: Sendable {
    var object: ArrivingObject
    /// Nil when the answer was read as far as it is wanted.
    var failure: S3Failure?
}
