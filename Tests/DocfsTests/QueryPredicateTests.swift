import Testing

@testable import docfs

/// A document of which only these facts are known.
private struct Facts: QueriedDocument {
    var texts: [String: String] = [:]
    var numbers: [String: Int64] = [:]

    func text(of field: QueryField) -> String? { texts[field.name] }
    func number(of field: QueryField) -> Int64? { numbers[field.name] }
    func words(of field: QueryField) -> [String] { texts[field.name]?.split(separator: ",").map(String.init) ?? [] }
}

struct QueryPredicateTests {
    private let document = Facts(
        texts: [
            "name": "2026-11-21-041233-7f3a.txt", "displayName": "Shopping list", "extension": "txt",
            "state": "closed,inConflict",
            "indicator": "yellow", "location": "cloud", "user.tags": "home,urgent", "user.note": "",
        ],
        numbers: ["size": 2048, "modified": 1_795_305_600, "conflicts": 1])

    private func matches(_ text: String) throws -> Bool {
        try QueryParser.parse(text, clock: .fixed).matches(document)
    }

    @Test(arguments: [
        "displayName = 'Shopping list'", "displayName like 'Shop*'", "displayName like '*l?st'",
        "displayName contains ping", "displayName contains LIST", "displayName like 'sHOP*[A-T]'", "shop LIST",
        "'PING L'",
        "name like '2026-*.txt'", "extension = txt", "extension != md", "displayName < Tea", "displayName >= Shop",
        "size = 2k", "size > 2047", "size <= 2k", "size != 5",
        "modified = today", "modified >= today", "modified <= today", "modified < now", "modified > yesterday",
        "modified > -1d",
        "modified < 2026-11-22T00:01",
        "inConflict", "state has closed", "not normal", "state != closed", "indicator = yellow", "location = cloud",
        "conflicts >= 1", "user.tags", "user.tags has urgent", "user.note = ''", "user.missing != x",
        "not user.missing",
        "uploading != waiting", "size > 1M or inConflict and location = cloud",
    ])
    func `these are true`(text: String) throws { #expect(try matches(text)) }

    @Test(arguments: [
        "displayName = 'shopping list'", "displayName like 'Shop'", "extension = md",
        "size > 2k", "size < 2k", "modified < today", "modified > today", "modified != today", "created > -7d",
        "savingError", "state = closed", "location = local", "user.missing", "user.missing = x", "user.missing < x",
        "user.tags has urg",
        "uploading = waiting", "(size > 1M or inConflict) and location = local",
    ])
    func `these are not`(text: String) throws { #expect(try !matches(text)) }

    @Test func `a pattern is that of a shell`() {
        let pairs: [(String, String, Bool)] = [
            ("*", "", true), ("", "", true), ("?", "", false), ("a*b*c", "aXbYbZc", true), ("a*b*c", "aXbY", false),
            ("[abc]x", "bx", true), ("[a-c]x", "dx", false), ("[!a-c]x", "dx", true), ("[]]", "]", true),
            ("[a", "[a", true),
            (#"\*"#, "*", true), (#"\*"#, "a", false), ("買*", "買い物", true), ("?", "é", true), ("**a", "ba", true),
            ("[a-]", "-", true), ("*.txt", "a.txt.bak", false),
        ]
        for (pattern, text, isMatch) in pairs { #expect(Glob(pattern).matches(text) == isMatch, "\(pattern) \(text)") }
    }

    @Test func `a hard pattern takes no long time`() {
        let pattern = Glob(String(repeating: "*a", count: 50) + "b")
        let start = ContinuousClock.now
        #expect(!pattern.matches(String(repeating: "a", count: 2000)))
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
