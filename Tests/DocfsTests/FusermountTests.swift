import Testing

@testable import docfs

struct FusermountTests {
    @Test func `what fusermount3 says last is the reason`() {
        #expect(
            Fusermount.complaint("fusermount3: failed to open /etc/mtab: No such file or directory\n")
                == "fusermount3: failed to open /etc/mtab: No such file or directory")
        #expect(Fusermount.complaint("note\nnot mounted\n") == "fusermount3: not mounted")
        #expect(Fusermount.complaint("") == "fusermount3 has failed and does not say why")
    }

    @Test func `a program that fails is an error with its words`() {
        #expect(Fusermount.run(["--no-such-option"])?.hasPrefix("fusermount3: ") == true)
        #expect(Fusermount.run(["--version"]) == nil)
    }
}
