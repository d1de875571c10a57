import Dispatch
import Foundation

extension S3Settings {
    /// The settings as this process and the person's files have them. Reads files, and no network.
    public init(ofMachine location: S3Location) throws(S3SettingsError) {
        try self.init(
            location, environment: ProcessInfo.processInfo.environment, contents: Self.contents, run: Self.output)
    }

    /// How long a `credential_process` may take. It may ask a server.
    private static let patience = DispatchTimeInterval.seconds(30)

    private static func output(of command: String) throws(S3SettingsError) -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardOutput = pipe
        let reason = "the credential_process of the AWS profile cannot be run"
        do { try process.run() } catch { throw S3SettingsError(description: "\(reason): \(error)") }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { if process.isRunning { process.terminate() } }
        guard let data = try? pipe.fileHandleForReading.readToEnd() ?? Data() else {
            throw S3SettingsError(description: reason)
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw S3SettingsError(
                description: "the credential_process of the AWS profile failed; run it in a shell and look")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func contents(of path: String) throws(S3SettingsError) -> String? {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw S3SettingsError(description: "the AWS profiles in \(path) cannot be read")
        }
    }
}
