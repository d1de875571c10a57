import Testing

/// The pages beside the code name only what there is: types, members, files and tests.
struct NamedThingsTests {
    private static let sources = Repository.files(below: "Sources", ending: ".swift").map {
        Declarations(of: Repository.text(of: $0))
    }
    private static let tests = Repository.files(below: "Tests", ending: ".swift").map {
        let text = Repository.text(of: $0)
        // The name of a test may stand on a line of its own.
        return (text: text.replacing(/func\s+`/, with: "func `"), declarations: Declarations(of: text))
    }

    @Test func `there are pages, and they name things`() {
        #expect(Page.all.count >= 4)
        for page in Page.all {
            #expect(!page.symbols.isEmpty || !page.tests.isEmpty || !page.files.isEmpty, "\(page.path)")
        }
    }

    @Test(arguments: Page.all)
    func `each type and member that a page names is declared`(_ page: Page) {
        for symbol in Set(page.symbols) { #expect(Self.isDeclared(symbol), "``\(symbol)``") }
    }

    @Test(arguments: Page.all)
    func `each suite and test that a page names is there`(_ page: Page) {
        for test in Set(page.tests) { #expect(Self.isTest(test), "`\(test)`") }
    }

    @Test(arguments: Page.all)
    func `each file that a page names is there`(_ page: Page) {
        for file in Set(page.files) { #expect(Repository.exists(file), "`\(file)`") }
    }

    @Test func `a name of something that is not there is noticed`() {
        #expect(Self.isDeclared("Library/create(_:in:by:flags:)") && Self.isTest("PageTests"))
        #expect(!Self.isDeclared("NoSuchType") && !Self.isDeclared("Library/noSuchMember(_:)"))
        #expect(!Self.isTest("NoSuchTests") && !Self.isTest("NamedThingsTests/no such test"))
    }

    /// Whether the first part of a symbol is a type or a function, and each further part is declared in a file that declares or extends
    /// the part before it.
    ///
    /// A module is declared by its folder.
    private static func isDeclared(_ symbol: String) -> Bool {
        if Repository.exists("Sources/\(symbol)") { return true }
        let parts = symbol.split(separator: "/").map { String($0.prefix { $0 != "(" }) }
        guard let first = parts.first, sources.contains(where: { $0.names.contains(first) }) else { return false }
        return zip(parts, parts.dropFirst()).allSatisfy { owner, member in
            sources.contains { file in
                (file.names.contains(owner) || file.extended.contains(owner))
                    && (file.names.contains(member) || file.values.contains(member))
            }
        }
    }

    private static func isTest(_ name: String) -> Bool {
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        let suite = parts[0]
        if parts.count == 1, Repository.exists("Tests/\(suite)") { return true }
        let files = tests.filter { $0.declarations.names.contains(suite) || $0.declarations.extended.contains(suite) }
        return parts.count == 1 ? !files.isEmpty : files.contains { $0.text.contains("func `\(parts[1])`(") }
    }
}
