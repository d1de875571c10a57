import Testing

@testable import ObjectStore

struct WireNameTests {
    @Test(arguments: [
        ("log/0000000000000042", "log/0000000000000042"), ("a%41+ü %", "a%41+ü %"), ("a\\b", "a%5Cb"), ("%5C", "%255C"),
        ("%25", "%2525"), ("%5c", "%5c"), ("%\\", "%%5C"), ("\\25", "%5C25"), ("%%5C", "%%255C"), ("%255C", "%25255C"),
    ])
    func `only backslashes are rewritten, and what looks like one`(key: String, name: String) {
        #expect(WireName.encode(key) == name)
        #expect(WireName.decode(name) == key)
    }

    @Test func `no two keys share a name`() {
        let pieces = ["%", "5", "C", "2", "\\", "%5C", "%25"]
        var keys = [""]
        for _ in 1...4 { keys += keys.flatMap { key in pieces.map { key + $0 } } }
        let distinct = Set(keys)
        #expect(Set(distinct.map(WireName.encode)).count == distinct.count)
        #expect(distinct.allSatisfy { WireName.decode(WireName.encode($0)) == $0 })
    }
}
