import Foundation
import SystemPackage

/// The `docfs` under test: the one built beside this test bundle, unless DOCFS_BINARY names another.
public enum DocfsBinary {
    public struct NotBuilt: Error, CustomStringConvertible {
        let program: String

        public var description: String {
            "no \(program) beside the test bundle; build the product `\(program)`"
                + (program == "docfs" ? " or set DOCFS_BINARY" : "")
        }
    }

    private static let found =
        ProcessInfo.processInfo.environment["DOCFS_BINARY"].map { FilePath($0) } ?? built("docfs")

    public static var path: FilePath {
        get throws {
            guard let found else { throw NotBuilt(program: "docfs") }
            return found
        }
    }

    /// Writes manual pages from the help of a `docfs`, whichever that is.
    public static var manualGenerator: FilePath {
        get throws {
            guard let found = built("generate-manual") else { throw NotBuilt(program: "generate-manual") }
            return found
        }
    }

    private static func built(_ program: String) -> FilePath? {
        var folder = FilePath("/proc/self/exe").symbolicLinkTarget ?? "/"
        while folder.removeLastComponent() {
            let candidate = folder / program
            if let status = try? candidate.stat(), status.type == .regular,
                status.permissions.contains(.ownerExecute)
            {
                return candidate
            }
        }
        return nil
    }
}
