import Testing

@testable import docfs

struct FolderOrderFileTests {
    @Test func `several entries go together beside another one, and what is gone is left out`() {
        func order(_ names: String..., isBefore: Bool, _ neighbour: String) -> String {
            FolderOrderFile.order(["a", "b", "c", "d"], putting: names, isBefore, neighbour).joined()
        }
        #expect(order("d", "a", isBefore: true, "c") == "bdac")
        #expect(order("d", "a", isBefore: false, "c") == "bcda")
        #expect(order("b", "x", isBefore: false, "d") == "acdb")
        #expect(order("b", isBefore: true, "x") == "acdb")
    }
}
