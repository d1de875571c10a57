/// The credentials that requests are signed with. Printing them shows no secret.
public struct S3Credentials: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name of the key. It is no secret.
    public let accessKeyID: String
    let secretAccessKey: String
    let sessionToken: String?

    /// - Parameter sessionToken: nil for a key that does not expire.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// Without secrets, as are the next two: an error or a log may print the value.
    public var description: String { "the credentials of \(accessKeyID)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
