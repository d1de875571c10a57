/// The rooms inside a target: its folders, with what each names of the others.
///
/// A room sees another one if it names a type that is declared there, or a member that an extension there gives to a type of another target.
/// A member counts if its name is declared only once in all sources. What is reached through a value of another type (`tree.contents.save()`)
/// is not seen: what a part uses, its initializer names.
struct Rooms {
    /// The room of the files that lie in no folder.
    static let facade = "Library"

    private struct File {
        let room: String
        let types: Set<String>
        let members: Set<String>
        let words: Set<Substring>
    }

    private let files: [File]
    /// Where each type, and each member of an extension, is declared.
    private let homes: [Substring: String]

    /// - Parameters:
    ///   - texts: the files of the target, by their paths from its folder on.
    ///   - others: the texts of the other targets.
    init(_ texts: [String: String], others: [String] = []) {
        let codes = texts.mapValues { Code($0) }
        let types = codes.values.reduce(into: Set<String>()) { $0.formUnion($1.types) }
        var declared: [String: Int] = [:]
        for code in codes.values + others.map({ Code($0) }) {
            for name in code.members { declared[name, default: 0] += 1 }
        }
        files = codes.map { path, code in
            let parts = path.split(separator: "/")
            let members = code.extended.filter { !types.contains($0.key) }.values.joined()
            return File(
                room: parts.count > 1 ? String(parts[0]) : Self.facade, types: code.types,
                members: Set(members.filter { declared[$0] == 1 }), words: code.words)
        }
        homes = files.reduce(into: [:]) { homes, file in
            for name in file.types.union(file.members) { homes[Substring(name)] = file.room }
        }
    }

    var names: Set<String> { Set(files.map(\.room)) }

    /// - Returns: the other rooms that a room sees, each with the names by which it does.
    func seen(by room: String) -> [String: Set<String>] {
        var seen: [String: Set<String>] = [:]
        for file in files where file.room == room {
            for word in file.words {
                if let home = homes[word], home != room { seen[home, default: []].insert(String(word)) }
            }
        }
        return seen
    }
}

/// What a file declares and names, found by its lines: the sources are formatted, so that what stands at the margin is of the file, and what
/// is indented by four is of a type or an extension.
private struct Code {
    /// Types at the margin that other files can name.
    private(set) var types: Set<String> = []
    /// All functions, variables, constants and cases.
    private(set) var members: [String] = []
    /// Members that other files can name, by the type that the extension around them is of.
    private(set) var extended: [String: [String]] = [:]
    private(set) var words: Set<Substring> = []

    private static let typeKeywords: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    private static let memberKeywords: Set<Substring> = ["func", "var", "let", "case"]

    init(_ text: String) {
        var extendedType: String?
        for line in text.split(separator: "\n") {
            let words = Self.words(of: line)
            guard let first = words.first else { continue }
            self.words.formUnion(words)
            let isAtMargin = line.first != " " && line.first != "}"
            let isHidden = words.contains("private") || words.contains("fileprivate")
            if isAtMargin {
                extendedType = nil
                if let type = Self.name(after: ["extension"], in: words) { extendedType = String(type) }
                if !isHidden, let type = Self.name(after: Self.typeKeywords, in: words) { types.insert(String(type)) }
            }
            guard let member = Self.name(after: Self.memberKeywords, in: words), first != "guard", first != "if",
                !line.drop(while: { $0 == " " }).hasPrefix("case .")
            else { continue }
            members.append(String(member))
            let isMember = line.hasPrefix("    ") && !line.hasPrefix("     ")
            if isMember, !isHidden, let extendedType { extended[extendedType, default: []].append(String(member)) }
        }
    }

    private static func name(after keywords: Set<Substring>, in words: [Substring]) -> Substring? {
        guard let index = words.firstIndex(where: keywords.contains), index + 1 < words.count else { return nil }
        return words[index + 1]
    }

    /// The words of a line that are neither in a comment nor in a text.
    private static func words(of line: Substring) -> [Substring] {
        let pieces = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .split(separator: "\"", omittingEmptySubsequences: false)
        return stride(from: 0, to: pieces.count, by: 2).flatMap { index in
            pieces[index].utf8.split { !Declarations.isPartOfName($0) }.map { Substring($0) }
        }
    }
}
