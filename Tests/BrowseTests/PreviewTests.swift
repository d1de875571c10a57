import Testing

@testable import Browse

struct PreviewTests {
    @Test(arguments: [
        ("a.PNG", Preview.Kind.image), ("film.mp4", .video), ("a.b.flac", .audio), ("Plan.pdf", .pdf), ("a.txt", .text),
        ("page.html", .text), ("README", .text), (".png", .image), ("png", .text), ("", .text),
    ])
    func `a content is shown by its extension`(name: String, kind: Preview.Kind) {
        #expect(Preview(ofName: name).kind == kind)
    }

    @Test func `attack: no content is given to the browser as a page or a script`() {
        for name in ["a.html", "a.htm", "a.xhtml", "a.xml", "a.js", "a.mjs", "a.css", "a.wasm", "a.svgz", "a"] {
            #expect(Preview(ofName: name).type == "text/plain; charset=utf-8", "\(name)")
        }
    }

    @Test func `a text is shown as far as it is read, without the letter that was cut`() {
        let bytes = Array("Grüße".utf8)
        #expect(TextPreview(bytes, isWhole: true)?.text == "Grüße")
        #expect(TextPreview(Array(bytes.prefix(3)), isWhole: false)?.text == "Gr")
        #expect(TextPreview(Array("Gr".utf8) + [0xfc], isWhole: true)?.text == "Grü")
        #expect(TextPreview([65, 0, 66], isWhole: true) == nil)
        #expect(TextPreview([], isWhole: true)?.text == "")
        #expect(TextPreview(Array("😀".utf8.prefix(3)), isWhole: false)?.text == "")
    }

    @Test(arguments: [
        "conflicts/../../x", "conflicts/", "conflicts/.", "versions/..", "order/a", "conflicts", "", "/",
        "versions/a/b",
        "../conflicts/a",
    ])
    func `attack: a version is a file of its folder, and nothing else`(text: String) {
        #expect(VersionReference(text) == nil)
    }

    @Test func `a version is named by its folder and its name`() throws {
        let reference = try #require(VersionReference("versions/Laptop 2026-11-21 04.12.33.txt"))
        #expect(reference.kind == .versions && reference.name == "Laptop 2026-11-21 04.12.33.txt")
        #expect(VersionReference(reference.text) == reference)
    }
}
