import SystemPackage

/// Sending a large document in parts, several at a time (a multipart upload).
extension S3Store {
    func putInParts(_ content: ContentSlice) async throws(ObjectStoreError) -> PutOutcome {
        let name = name(content.key)
        return try await Self.outcome(content.key) { () throws(S3Failure) in
            try await requireAbsence(of: name)
            let upload = try await begin(name)
            do throws(S3Failure) {
                try await complete(name, upload, try await send(content, name, upload), content.count)
            } catch {
                await abandon(name, upload)
                throw error
            }
        }
    }

    /// Checked before sending: S3 itself checks the condition only when all parts were sent.
    private func requireAbsence(of name: String) async throws(S3Failure) {
        do throws(S3Failure) { _ = try await length(of: name) } catch {
            if case .refused(let refusal) = error, refusal.status == 404, refusal.code != "NoSuchBucket" { return }
            throw error
        }
        throw .refused(S3Refusal(status: 412))
    }

    private func begin(_ name: String) async throws(S3Failure) -> String {
        try await client.perform(S3Request(.post, name, query: [Field("uploads", "")])) { response throws(S3Failure) in
            guard let id = try await response.document()["UploadId"], !id.isEmpty else {
                throw .malformed("an upload has no id")
            }
            return id
        }
    }

    /// - Returns: the entity tags of the parts in order, which complete the upload.
    private func send(_ content: ContentSlice, _ name: String, _ upload: String) async throws(S3Failure) -> [String] {
        let slices = parts.slices(of: content)
        let result = await withTaskGroup(of: Result<(Int, String), S3Failure>.self) { group in
            var tags = [String](repeating: "", count: slices.count)
            var waiting = Array(slices.enumerated())[...]
            for _ in 0..<parts.partsAtOnce { if let (index, slice) = waiting.popFirst() { add(index, slice) } }
            func add(_ index: Int, _ slice: ContentSlice) {
                group.addTask {
                    do throws(S3Failure) {
                        // Not within the tuple: optimised code (Swift 6.3) loses what stands before the call.
                        let tag = try await sendPart(index + 1, slice, name, upload)
                        return .success((index, tag))
                    } catch { return .failure(error) }
                }
            }
            for await result in group {
                switch result {
                case .success(let (index, tag)):
                    tags[index] = tag
                    if let (index, slice) = waiting.popFirst() { add(index, slice) }
                case .failure(let failure):
                    group.cancelAll()
                    return Result<[String], S3Failure>.failure(failure)
                }
            }
            return .success(tags)
        }
        return try result.get()
    }

    private func sendPart(
        _ number: Int, _ slice: ContentSlice, _ name: String, _ upload: String
    ) async throws(S3Failure) -> String {
        let query = [Field("partNumber", String(number)), Field("uploadId", upload)]
        let request = S3Request(.put, name, query: query, body: .file(slice))
        return try await client.perform(request) { response throws(S3Failure) in
            guard let tag = response.header("etag") else { throw .malformed("a part has no entity tag") }
            return tag
        }
    }

    private func complete(
        _ name: String, _ upload: String, _ tags: [String], _ length: Int64
    ) async throws(S3Failure) {
        let request = S3Request(
            .post, name, query: [Field("uploadId", upload)],
            headers: [S3Request.ifAbsent, Field("Content-Type", "application/xml")],
            body: .bytes(Array(PartPlan.completion(tags).utf8)))
        do throws(S3Failure) {
            try await client.perform(request) { response throws(S3Failure) in
                let document = try await response.document()
                // The status was sent before the parts were put together.
                if let refusal = S3Refusal(status: response.status, document: document) { throw .refused(refusal) }
            }
        } catch {
            // A try whose answer was lost has ended the upload: then the object is there.
            guard case .refused(let refusal) = error, refusal.code == "NoSuchUpload",
                try await self.length(of: name) == length
            else { throw error }
            throw .refused(S3Refusal(status: 412))
        }
    }

    /// Best effort, also when the task was cancelled. If it fails, the unfinished upload stays, invisible, until the bucket's
    /// lifecycle rule removes it.
    private func abandon(_ name: String, _ upload: String) async {
        let request = S3Request(.delete, name, query: [Field("uploadId", upload)])
        await Task { [client] in
            _ = try? await client.perform(request) { _ throws(S3Failure) in }
        }.value
    }
}
