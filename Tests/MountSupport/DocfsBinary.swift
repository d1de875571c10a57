import Foundation
import SystemPackage

/// The `docfs` under test: the one built beside this test bundle, unless DOCFS_BINARY names another.
public enum DocfsBinary {
    public struct NotBuilt: Error, CustomStringConvertible {
        public var description: String {
            "no docfs beside the test bundle; build the product `docfs` or set DOCFS_BINARY"
        }
    }

    private static let found: FilePath? = {
        if let named = ProcessInfo.processInfo.environment["DOCFS_BINARY"] {
            return FilePath(named)
        }
        var folder = FilePath("/proc/self/exe").symbolicLinkTarget ?? "/"
        while folder.removeLastComponent() {
            let candidate = folder / "docfs"
            if let status = try? candidate.stat(), status.type == .regular,
                status.permissions.contains(.ownerExecute)
            {
                return candidate
            }
        }
        return nil
    }()

    public static var path: FilePath {
        get throws {
            guard let found else { throw NotBuilt() }
            return found
        }
    }
}
