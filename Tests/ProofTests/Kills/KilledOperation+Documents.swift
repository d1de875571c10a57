import Glibc
import MountSupport
import SystemPackage

/// Operations of one document: its name, its content, its attributes.
extension KilledOperation {
    static let names = [
        one("rename") {
            try ($0 / "Plan.txt").rename(to: $0 / "Letter.txt")
        } _: {
            $0.move("Plan.txt", to: "Letter.txt")
        },
        one("rename with another extension") {
            try ($0 / "Plan.txt").rename(to: $0 / "Plan.md")
        } _: {
            $0.move("Plan.txt", to: "Plan.md")
        },
        one("move") {
            try ($0 / "Plan.txt").rename(to: $0 / "Inner/Plan.txt")
        } _: {
            $0.move("Plan.txt", to: "Inner/Plan.txt")
        },
        one("move under a new name") {
            try ($0 / "Plan.txt").rename(to: $0 / "Inner/Letter.txt")
        } _: {
            $0.move("Plan.txt", to: "Inner/Letter.txt")
        },
        one("name by attribute") {
            try ($0 / "Plan.txt").setAttribute("user.displayName", "Letter")
        } _: {
            $0.move("Plan.txt", to: "Letter.txt")
        },
        one("hide") {
            try ($0 / "Plan.txt").rename(to: $0 / ".Plan.txt")
        } _: {
            $0.move("Plan.txt", to: ".Plan.txt")
        },
        one("remove") {
            try ($0 / "Plan.txt").remove()
        } _: {
            $0.remove("Plan.txt")
        },
        one("remove a link") {
            try ($0 / "Link").remove()
        } _: {
            $0.remove("Link")
        },
        one("link") {
            try ($0 / "Second").makeSymbolicLink(to: "Inner")
        } _: {
            $0.add("Second", .init(type: S_IFLNK, content: "Inner"))
        },
    ]

    static let saves = [
        KilledOperation(
            name: "create",
            steps: [
                Step(perform: { try ($0.folder / "New.txt").create() }, change: { $0.add("New.txt", .newFile()) }),
                Step(
                    perform: { try ($0.folder / "New.txt").write("new") },
                    change: { $0.add("New.txt", .newFile("new")) }),
            ], mayLeaveUnnamed: true),
        KilledOperation(
            name: "save by renaming",
            steps: [
                Step(
                    perform: { try ($0.folder / "Plan.txt.tmp").create() },
                    change: { $0.add("Plan.txt.tmp", .newFile()) }),
                Step(
                    perform: { try ($0.folder / "Plan.txt.tmp").write("new plan") },
                    change: { $0.add("Plan.txt.tmp", .newFile("new plan")) }),
                Step(
                    perform: { try ($0.folder / "Plan.txt.tmp").rename(to: $0.folder / "Plan.txt") },
                    change: {
                        $0.remove("Plan.txt.tmp")
                        $0.change("Plan.txt") {
                            $0.content = "new plan"
                            $0.modified = nil
                        }
                    }),
            ]),
        KilledOperation(
            name: "save with a backup",
            steps: [
                Step(
                    perform: { try ($0.folder / "Plan.txt").rename(to: $0.folder / "Plan.txt~") },
                    change: {
                        $0.move("Plan.txt", to: "Plan.txt~")
                        $0.change("Plan.txt~") {
                            $0.id = nil
                            $0.attributes = nil
                        }
                    }),
                Step(
                    perform: { try ($0.folder / "Plan.txt").create() },
                    change: { $0.add("Plan.txt", .newFile()) }),
                Step(
                    perform: { try ($0.folder / "Plan.txt").write("new plan") },
                    change: { $0.add("Plan.txt", .newFile("new plan")) }),
            ], mayLeaveUnnamed: true),
        one("replace another document") {
            try ($0 / "Notes.txt").rename(to: $0 / "Plan.txt")
        } _: {
            $0.remove("Notes.txt")
            $0.add("Plan.txt", .newFile("notes"))
        },
        KilledOperation(
            name: "exchange",
            steps: [
                Step(
                    perform: { try ($0.folder / "Notes.txt").rename(to: $0.folder / "Plan.txt", .exchange) },
                    change: {
                        $0.add("Plan.txt", .newFile("notes"))
                        $0.add("Notes.txt", .newFile("plan"))
                    })
            ]),
        KilledOperation(
            name: "exchange folders",
            steps: [
                Step(
                    perform: { try ($0.folder / "Inner").rename(to: $0.folder / "Empty", .exchange) },
                    change: { $0.move("Inner/Deep.txt", to: "Empty/Deep.txt") })
            ]),
        one("cut off") {
            try ($0 / "Plan.txt").call { truncate($0, 2) }
        } _: {
            $0.change("Plan.txt") {
                $0.content = "pl"
                $0.modified = nil
            }
        },
    ]

    static let metadata = [
        one("set an attribute") {
            try ($0 / "Plan.txt").setAttribute("user.colour", "red")
        } _: {
            $0.change("Plan.txt") { $0.attributes?["user.colour"] = "red" }
        },
        one("remove an attribute") {
            try ($0 / "Plan.txt").removeAttribute("user.colour")
        } _: {
            $0.change("Plan.txt") { $0.attributes?["user.colour"] = nil }
        },
        one("change the mode") {
            try ($0 / "Plan.txt").setPermissions([.ownerRead])
        } _: {
            $0.change("Plan.txt") { $0.permissions = 0o400 }
        },
        one("change the time") {
            let time = timespec(tv_sec: 1_600_000_000, tv_nsec: 987_654_321)
            try ($0 / "Plan.txt").setTimes(accessed: time, modified: time)
        } _: {
            $0.change("Plan.txt") { $0.modified = 1_600_000_000_987_654_321 }
        },
    ]
}
