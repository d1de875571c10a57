/// The rules of names that the model needs (Semantics, "Two names", "Dotfiles and scratch files", "Saving"), written down a second time.
enum DocumentNames {
    /// *Files with these names are scratch files*; only the names that `OperationChoice` uses.
    static func isScratch(_ name: String) -> Bool { name.hasSuffix("~") || name.hasSuffix(".tmp") }

    /// *An extension is what follows the last dot, if that is 1 to 16 characters without a space and something stands before the dot.*
    static func split(_ name: String) -> (stem: String, pathExtension: String?) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, nil) }
        let ending = name[name.index(after: dot)...]
        guard (1...16).contains(ending.count), !ending.contains(" ") else { return (name, nil) }
        return (String(name[..<dot]), String(ending))
    }

    /// *A backup name is the document's whole name with something after it, or its stem with `.bak`, `.old`, `.orig`, `.backup` or
    /// `.save`.*
    static func isBackup(_ name: String, of original: String) -> Bool {
        if name != original, name.hasPrefix(original) { return true }
        return ["bak", "old", "orig", "backup", "save"].contains { name == split(original).stem + "." + $0 }
    }
}
