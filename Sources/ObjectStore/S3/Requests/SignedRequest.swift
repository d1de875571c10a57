import Documents

/// A request ready to be sent: where to, and with all its headers.
struct SignedRequest: Sendable {
    let url: String
    let headers: [Field]
    /// The key that it was signed with.
    let key: SigningKey

    /// - Parameters:
    ///   - time: of the server.
    ///   - known: the key of an earlier request.
    init(
        _ request: S3Request, to address: S3Address, payload: PayloadDigest, credentials: S3Credentials, region: String,
        time: Timestamp, known: SigningKey? = nil
    ) {
        let server = address.server(in: region)
        var headers =
            request.headers + [
                Field("Host", server.authority),
                Field("X-Amz-Content-Sha256", payload.hash),
                Field("X-Amz-Date", time.basicISO8601),
            ]
        if let md5 = payload.md5 { headers.append(Field("Content-MD5", md5)) }
        if let token = credentials.sessionToken { headers.append(Field("X-Amz-Security-Token", token)) }
        let path = address.path(of: request.key)
        let signature = SignatureV4(credentials: credentials, region: region, service: "s3", time: time, known: known)
        key = signature.key
        let authorization = signature.authorization(
            of: SignableRequest(
                method: request.method.rawValue, path: path, query: request.query, headers: headers,
                payloadHash: payload.hash))
        let query = request.query.encodedQuery
        url = server.description + path + (query.isEmpty ? "" : "?" + query)
        self.headers = headers + [Field("Authorization", authorization)]
    }
}
