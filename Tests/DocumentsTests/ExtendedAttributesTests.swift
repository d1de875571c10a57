import Documents
import Foundation
import Testing

struct ExtendedAttributesTests {
    @Test func `names that look alike are two, also after they were written and read`() throws {
        var attributes = ExtendedAttributes()
        attributes["user.Caf\u{E9}"] = [1]
        attributes["user.Cafe\u{301}"] = [2]
        let read = try ExtendedAttributes(json: try #require(try attributes.json()))
        #expect(read == attributes)
        #expect(read["user.Caf\u{E9}"] == [1])
        #expect(read["user.Cafe\u{301}"] == [2])
        #expect(read.names.map { Array($0.utf8) } == [Array("user.Cafe\u{301}".utf8), Array("user.Caf\u{E9}".utf8)])
    }

    @Test(arguments: ["user.a", "user.100%", "user.two words", "user.\u{7F}\n", "user.日本", "user.%41"])
    func `every name comes back byte for byte`(name: String) throws {
        var attributes = ExtendedAttributes()
        attributes[name] = Array("value".utf8)
        let read = try ExtendedAttributes(json: try #require(try attributes.json()))
        #expect(read.names.map { Array($0.utf8) } == [Array(name.utf8)])
    }

    @Test func `no attributes are stored as nil`() throws {
        var attributes = ExtendedAttributes()
        #expect(try attributes.json() == nil)
        attributes["user.a"] = []
        attributes["user.a"] = nil
        #expect(try attributes.json() == nil)
    }

    @Test(arguments: [
        #"{"user.%4":"AA=="}"#, #"{"user.%41":"AA=="}"#, #"{"user.é":"AA=="}"#, #"{"user.%FF":"AA=="}"#, "[]", "",
    ])
    func `JSON that docfs would not write is refused`(json: String) {
        #expect(throws: (any Error).self) { try ExtendedAttributes(json: Array(json.utf8)) }
    }
}
