import Foundation

extension S3Settings {
    /// The settings as this process and the person's files have them. Reads files, and no network.
    public init(ofMachine location: S3Location) throws(S3SettingsError) {
        try self.init(location, environment: ProcessInfo.processInfo.environment, contents: Self.contents)
    }

    private static func contents(of path: String) throws(S3SettingsError) -> String? {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw S3SettingsError(description: "the AWS profiles in \(path) cannot be read")
        }
    }
}
