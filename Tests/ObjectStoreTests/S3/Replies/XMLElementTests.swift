import Testing

@testable import ObjectStore

struct XMLElementTests {
    private func parse(_ text: String) -> XMLElement? { XMLElement.document(Array(text.utf8)) }

    @Test func `an error document has a code and a message`() {
        let document = parse(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a comment -->
            <Error xmlns="http://s3.amazonaws.com/doc/2006-03-01/" other = 'x>y'><Code>NoSuchKey</Code>
            <Message>The &quot;key&quot; &amp; &lt;more&gt; &#x1F600;&#65;</Message><Empty/><Empty2 a="b" />
            <![CDATA[<raw>&amp;]]></Error>

            """)
        #expect(document?.name == "Error")
        #expect(document?["Code"] == "NoSuchKey")
        #expect(document?["Message"] == "The \"key\" & <more> 😀A")
        #expect(document?["Empty"] == "")
        #expect(document?["Absent"] == nil)
        #expect(document?.text.contains("<raw>&amp;") == true)
    }

    @Test func `elements of one name are kept in order, without their prefixes`() {
        let document = parse("<s3:List><s3:Key>b</s3:Key><Key>a</Key><Other/></s3:List>")
        #expect(document?.name == "List")
        #expect(document?.children(named: "Key").map(\.text) == ["b", "a"])
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a></b>", "<a/><b/>", "<a/>text", "<a b></a>", "<a b=c/>", "<a b=\"c/>",
        "<a>&unknown;</a>",
        "<a>&amp</a>", "<a>&#xD800;</a>", "<a>&#99999999;</a>", "<a>&;</a>", "<a><!-- </a>", "<a><![CDATA[</a>", "<1",
        "<",
        "<a", "<a>\u{0}", "{\"a\":1}", "<html><br></html>",
    ])
    func `a text that is not a document is refused`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
        "<a>" + String(repeating: "<b>", count: 100_000),
        String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
    ])
    func `a document that only an attacker sends is refused`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func `a name that is not UTF-8 is refused`() {
        #expect(XMLElement.document([UInt8(ascii: "<"), UInt8(ascii: "a"), UInt8(ascii: ">"), 0xff]) == nil)
    }

    @Test func `a page of a thousand keys is read in time`() {
        let items = (0..<1000).map {
            "<Contents><Key>documents/\($0)/\(String(repeating: "x", count: 900))</Key></Contents>"
        }
        let document = parse("<ListBucketResult>\(items.joined())</ListBucketResult>")
        #expect(document?.children.count == 1000)
    }
}
