import Documents
import Testing

struct ActionNameTests {
    private static func name(
        _ kind: ActionKind, to destination: String? = nil, _ subjects: ActionSubject...
    ) -> ActionName {
        var name = ActionName(kind, to: destination)
        for subject in subjects { name.add(subject) }
        return name
    }

    private static func document(_ name: String) -> ActionSubject { ActionSubject(kind: .document, name: name) }

    private static func folder(_ name: String) -> ActionSubject { ActionSubject(kind: .folder, name: name) }

    @Test func `an action on one document names it`() {
        #expect(Self.name(.create, Self.document("a")).text == "Create “a”")
        #expect(Self.name(.delete, Self.document("Groceries")).text == "Delete “Groceries”")
        #expect(Self.name(.rename, to: "b", Self.document("a")).text == "Rename “a” to “b”")
        #expect(Self.name(.move, to: "Trip", Self.document("a")).text == "Move “a” to “Trip”")
        #expect(Self.name(.moveToCloud, Self.document("a")).text == "Move “a” to the cloud")
        #expect(Self.name(.moveOutOfCloud, Self.document("a")).text == "Move “a” out of the cloud")
        #expect(Self.name(.reorder, Self.document("a")).text == "Reorder “a”")
        #expect(Self.name(.prefer, to: "cloud", Self.document("a")).text == "Move “a” to the cloud")
        #expect(Self.name(.choose, Self.document("a")).text == "Choose a version of “a”")
        #expect(Self.name(.prefer, to: "local").text == "Change the preferred location to local")
        #expect(Self.name(.delete, Self.folder("Trip")).text == "Delete folder “Trip”")
        #expect(
            Self.name(.create, ActionSubject(kind: .symbolicLink, name: "latest")).text == "Create link “latest”")
    }

    @Test func `an action on many documents says how many`() {
        var delete = ActionName(.delete)
        for number in 1...12 { delete.add(Self.document("\(number)")) }
        #expect(delete.text == "Delete 12 documents")
        let three = [Self.document("a"), Self.document("b"), Self.document("c")]
        #expect(Self.name(.moveToCloud, three[0], three[1], three[2]).text == "Move 3 documents to the cloud")
        #expect(Self.name(.rename, to: "x", three[0], three[1], three[2]).text == "Rename 3 documents")
        #expect(
            Self.name(.delete, three[0], Self.folder("F"), Self.folder("G")).text == "Delete 1 document and 2 folders")
    }

    @Test func `an action on a folder with all that is in it names the folder`() {
        var name = Self.name(.delete, Self.document("a"), Self.document("b"), Self.folder("Trip"))
        name.whole = Self.folder("Trip")
        #expect(name.text == "Delete folder “Trip” with 2 documents")
    }

    @Test func `an entry that is no part of the action any more is not counted`() {
        var name = Self.name(.delete, Self.document("a"), Self.document("b"))
        name.add(Self.document("a"), times: -1)
        name.rename(Self.document("b"))
        #expect(name.text == "Delete “b”")
    }

    @Test func `a list has one line an action, whatever names there are`() {
        let names = [Self.name(.delete, Self.document("a\nb")), Self.name(.create, Self.document("c"))]
        #expect(ActionList.text(names) == "Delete “a\\nb”\nCreate “c”\n")
    }
}

struct ActionRootsTests {
    private static func subject(_ kind: EntryKind, _ name: String) -> ActionSubject {
        ActionSubject(kind: kind, name: name)
    }

    @Test func `rm -r removes a folder last`() {
        var roots = ActionRoots<Int>()
        roots.addRemoved(Self.subject(.document, "a"), 10, in: 2)
        roots.addRemoved(Self.subject(.document, "b"), 11, in: 3)
        #expect(roots.whole == nil)
        roots.addRemoved(Self.subject(.folder, "Inner"), 3, in: 2)
        #expect(roots.whole == nil)
        roots.addRemoved(Self.subject(.folder, "Outer"), 2, in: 1)
        #expect(roots.whole == Self.subject(.folder, "Outer"))
        roots.addRemoved(Self.subject(.document, "beside"), 12, in: 1)
        #expect(roots.whole == nil)
    }

    @Test func `cp -r makes a folder first`() {
        var roots = ActionRoots<Int>()
        roots.addMade(Self.subject(.folder, "Outer"), 2, in: 1)
        roots.addMade(Self.subject(.folder, "Inner"), 3, in: 2)
        roots.addMade(Self.subject(.document, "a"), 10, in: 3)
        #expect(roots.whole == Self.subject(.folder, "Outer"))
        roots.addMade(Self.subject(.document, "beside"), 11, in: 1)
        #expect(roots.whole == nil)
    }

    @Test func `changes within five seconds of each other make one action`() {
        let second: Int64 = 1_000_000_000
        let start = Timestamp(nanoseconds: 0)
        #expect(ActionGrouping.joins(Timestamp(nanoseconds: 5 * second), last: start))
        #expect(!ActionGrouping.joins(Timestamp(nanoseconds: 6 * second), last: start))
        #expect(!ActionGrouping.joins(Timestamp(nanoseconds: .max), last: Timestamp(nanoseconds: .min)))
    }
}
