import Documents

/// The addresses of a bucket and the objects in it.
struct S3Address: Equatable, Sendable {
    let bucket: String
    /// Nil for AWS, whose address depends on the region.
    let endpoint: S3Endpoint?
    let addressing: S3Addressing

    /// Other servers are addressed by path; so is a bucket on AWS whose name no certificate covers.
    init(bucket: String, endpoint: S3Endpoint?, addressing: S3Addressing?) {
        self.bucket = bucket
        self.endpoint = endpoint
        self.addressing = addressing ?? (endpoint != nil || bucket.contains(".") ? .path : .virtual)
    }

    /// The server to ask, with the bucket in its name for virtual addressing.
    func server(in region: String) -> S3Endpoint {
        let server = endpoint ?? S3Endpoint(isSecure: true, host: Self.awsHost(region))
        guard addressing == .virtual else { return server }
        return S3Endpoint(isSecure: server.isSecure, host: "\(bucket).\(server.host)", port: server.port)
    }

    /// The encoded path of an object; of the bucket for nil.
    func path(of key: String?) -> String {
        let object = key.map { "/" + PercentEncoding.encode(path: $0) }
        return addressing == .path ? "/" + PercentEncoding.encode(bucket) + (object ?? "") : object ?? "/"
    }

    private static func awsHost(_ region: String) -> String {
        "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
    }
}
