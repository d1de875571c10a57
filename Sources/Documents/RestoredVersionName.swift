/// The scratch name under which `docfs versions restore` writes a version before it renames it over its document. By that name the rename is
/// known to be an action that can be undone, and no save.
public enum RestoredVersionName {
    private static let prefix = ".docfs-restore-"
    private static let suffix = ".tmp"

    public static func make(using random: inout some RandomNumberGenerator) -> String {
        prefix + String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 16) + suffix
    }

    public static func matches(_ name: String) -> Bool {
        name.utf8.starts(with: prefix.utf8) && name.utf8Ends(with: suffix)
    }
}
