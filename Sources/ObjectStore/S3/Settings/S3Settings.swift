import HTTP

/// Why S3 cannot be used as it is set up, in one line for a person.
public struct S3SettingsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line for a person.
    public let description: String
}

/// All that is needed to talk to a bucket: the location, and what the environment adds to it.
public struct S3Settings: Equatable, Sendable {
    /// The bucket and the prefix. What it leaves open is in the properties below.
    public let location: S3Location
    /// From the environment or the profile, never from the URL.
    public let credentials: S3Credentials
    /// The region with which requests are signed.
    public let region: String
    /// Nil for AWS, whose address depends on the region.
    public let endpoint: S3Endpoint?
    /// Certificates to trust instead of the system's.
    public let certificates: String?
    /// From `HTTPS_PROXY` or `HTTP_PROXY`, by the endpoint; nil for none.
    public let proxy: HTTPProxy?

    public init(
        location: S3Location, credentials: S3Credentials, region: String, endpoint: S3Endpoint?,
        certificates: String? = nil, proxy: HTTPProxy? = nil
    ) {
        self.location = location
        self.credentials = credentials
        self.region = region
        self.endpoint = endpoint
        self.certificates = certificates
        self.proxy = proxy
    }

    /// Looks up what the location leaves open, as the AWS tools do: environment variables, then the profile's
    /// files.
    ///
    /// - Parameters:
    ///   - contents: of a file; nil where there is none.
    ///   - run: runs a shell command and returns its output (`credential_process`).
    public init(
        _ location: S3Location, environment: [String: String], contents: (String) throws(S3SettingsError) -> String?,
        run: (String) throws(S3SettingsError) -> String = { _ throws(S3SettingsError) in "" }
    ) throws(S3SettingsError) {
        let environment = environment.filter { !$0.value.isEmpty }
        let profile = try S3Profile(environment, contents)
        let endpoint = try Self.endpoint(location, environment, profile)
        self.init(
            location: location,
            credentials: try Self.credentials(environment, profile, isAmazon: endpoint == nil, run),
            region: try Self.region(location, environment, profile),
            endpoint: endpoint,
            certificates: environment["AWS_CA_BUNDLE"] ?? profile["ca_bundle"],
            proxy: Self.proxy(environment, isSecure: endpoint?.isSecure ?? true))
    }

    private static func proxy(_ environment: [String: String], isSecure: Bool) -> HTTPProxy? {
        func variable(_ name: String) -> String? { environment[name] ?? environment[name.lowercased()] }
        guard let address = variable(isSecure ? "HTTPS_PROXY" : "HTTP_PROXY") else { return nil }
        return HTTPProxy(address: address, exceptions: variable("NO_PROXY") ?? "")
    }

    var address: S3Address {
        S3Address(bucket: location.bucket, endpoint: endpoint, addressing: location.addressing)
    }

    private static func credentials(
        _ environment: [String: String], _ profile: S3Profile, isAmazon: Bool,
        _ run: (String) throws(S3SettingsError) -> String
    ) throws(S3SettingsError) -> S3Credentials {
        let id = environment["AWS_ACCESS_KEY_ID"], secret = environment["AWS_SECRET_ACCESS_KEY"]
        if let id, let secret {
            return S3Credentials(
                accessKeyID: id, secretAccessKey: secret, sessionToken: environment["AWS_SESSION_TOKEN"])
        }
        guard id == nil, secret == nil else {
            throw S3SettingsError(
                description: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set both, or neither")
        }
        return try profile.credentials(isAmazon: isAmazon, run)
    }

    private static func region(
        _ location: S3Location, _ environment: [String: String], _ profile: S3Profile
    ) throws(S3SettingsError) -> String {
        let region =
            location.region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
            ?? profile["region"] ?? "us-east-1"
        guard S3Location.isRegion(region) else {
            throw S3SettingsError(description: "the region '\(region)' is impossible")
        }
        return region
    }

    private static func endpoint(
        _ location: S3Location, _ environment: [String: String], _ profile: S3Profile
    ) throws(S3SettingsError) -> S3Endpoint? {
        if let endpoint = location.endpoint { return endpoint }
        guard
            let text = environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"] ?? profile["endpoint_url"]
        else { return nil }
        guard let endpoint = S3Endpoint(text) else {
            throw S3SettingsError(description: "the endpoint '\(text)' is no http:// or https:// URL of a server")
        }
        return endpoint
    }
}
