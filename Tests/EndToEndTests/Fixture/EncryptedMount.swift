import Foundation
import MountSupport
import SystemPackage
import Testing

extension Device {
    /// Mounts with a store of its own, as tests of encrypted containers do.
    ///
    /// - Parameter passphrase: told with a file; nil says none.
    func mountEncrypted(_ options: String..., passphrase: String? = nil) async throws -> ProgramResult {
        var arguments = ["mount", mountpoint.string, "--store", store.string, "--no-notifications"] + options
        if let passphrase {
            let file = folder / "passphrase"
            try file.write(passphrase + "\n")
            arguments += ["--passphrase-file", file.string]
        }
        return try await attemptMount(arguments)
    }
}

extension ProgramResult {
    /// The recovery key that was told.
    var recoveryKey: String {
        get throws {
            try #require(standardOutput.split(separator: "\n").first { $0.hasPrefix("    ") }).trimmingCharacters(
                in: .whitespaces)
        }
    }
}
