import Foundation

/// The profile that the environment chooses, out of both files.
struct S3Profile {
    private static let unsupported = ["role_arn", "sso_session", "sso_start_url"]

    private let name: String
    private let settings: [String: String]

    init(
        _ environment: [String: String], _ contents: (String) throws(S3SettingsError) -> String?
    ) throws(S3SettingsError) {
        name = environment["AWS_PROFILE"] ?? "default"
        let folder = environment["HOME"].map { $0 + "/.aws/" }
        var found: [[String: String]] = []
        for (variable, file) in [("AWS_CONFIG_FILE", "config"), ("AWS_SHARED_CREDENTIALS_FILE", "credentials")] {
            guard let path = environment[variable] ?? folder.map({ $0 + file }), let text = try contents(path),
                let profile = ProfileFile(text).profile(name)
            else { continue }
            found.append(profile)
        }
        if found.isEmpty, environment["AWS_PROFILE"] != nil, environment["AWS_ACCESS_KEY_ID"] == nil {
            throw S3SettingsError(
                description: "there is no AWS profile '\(name)' in ~/.aws/credentials or ~/.aws/config")
        }
        settings = found.reduce(into: [:]) { $0.merge($1) { _, later in later } }
    }

    subscript(_ key: String) -> String? { settings[key].flatMap { $0.isEmpty ? nil : $0 } }

    /// - Parameters:
    ///   - isAmazon: whether they are for AWS, since no other server is named.
    ///   - run: runs a shell command and returns its output.
    func credentials(
        isAmazon: Bool, _ run: (String) throws(S3SettingsError) -> String
    ) throws(S3SettingsError) -> S3Credentials {
        if let id = self["aws_access_key_id"], let secret = self["aws_secret_access_key"] {
            return S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: self["aws_session_token"])
        }
        if let command = self["credential_process"] { return try Self.credentials(in: try run(command)) }
        if let unsupported = Self.unsupported.first(where: { self[$0] != nil }) {
            throw S3SettingsError(
                description: "the AWS profile '\(name)' uses \(unsupported), which docfs cannot; run "
                    + "`eval $(aws configure export-credentials --format env)` first")
        }
        throw S3SettingsError(
            description: "there are no S3 credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                + "or write them to ~/.aws/credentials"
                + (isAmazon ? "; a server other than AWS is named by ?endpoint=URL in the cloud URL" : ""))
    }

    /// What a `credential_process` prints.
    private struct Printed: Decodable {
        let accessKeyID: String
        let secretAccessKey: String
        let sessionToken: String?

        enum CodingKeys: String, CodingKey {
            case accessKeyID = "AccessKeyId"
            case secretAccessKey = "SecretAccessKey"
            case sessionToken = "SessionToken"
        }
    }

    private static func credentials(in output: String) throws(S3SettingsError) -> S3Credentials {
        // The output holds secrets, so the reason does not show it.
        guard let printed = try? JSONDecoder().decode(Printed.self, from: Data(output.utf8)) else {
            throw S3SettingsError(
                description:
                    "the credential_process of the AWS profile prints no credentials; run it in a shell and look")
        }
        return S3Credentials(
            accessKeyID: printed.accessKeyID, secretAccessKey: printed.secretAccessKey,
            sessionToken: printed.sessionToken)
    }
}
