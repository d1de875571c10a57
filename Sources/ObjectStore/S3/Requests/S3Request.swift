/// A request to S3, before it is addressed and signed.
struct S3Request: Sendable {
    enum Method: String, Sendable { case get = "GET", head = "HEAD", put = "PUT", post = "POST", delete = "DELETE" }

    enum Body: Sendable {
        case none
        case bytes([UInt8])
        case file(ContentSlice)
    }

    let method: Method
    /// The whole key; nil for the bucket itself.
    let key: String?
    var query: [Field] = []
    var headers: [Field] = []
    var body = Body.none

    init(_ method: Method, _ key: String?, query: [Field] = [], headers: [Field] = [], body: Body = .none) {
        self.method = method
        self.key = key
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// Of several who create one key, exactly one may succeed.
    static let ifAbsent = Field("If-None-Match", "*")
}
