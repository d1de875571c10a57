import Testing

@testable import docfs

/// A name on a terminal can be typed as it stands there.
struct ShellWordTests {
    @Test(arguments: [
        ("Plan.txt", "Plan.txt"), ("Größe-1,2+3@x%.md", "Größe-1,2+3@x%.md"), ("My plan.txt", "'My plan.txt'"),
        ("it's.txt", "\"it's.txt\""),
        ("it's $5.txt", "'it'\\''s $5.txt'"), ("~x", "'~x'"), ("a~x", "a~x"), ("#1", "'#1'"), ("a#1", "a#1"),
        ("a\nb", "$'a\\x0ab'"),
        ("a\nb'c\\", "$'a\\x0ab\\'c\\\\'"), ("a\u{202e}b", "$'a\\u202eb'"), ("", "''"), ("日本 語", "'日本 語'"),
        ("[x]*", "'[x]*'"),
    ])
    func `a name is quoted where a shell needs it`(name: String, word: String) {
        #expect(name.shellWord == word)
    }
}
