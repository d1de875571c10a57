import ArgumentParser
import CLinux
import Documents
import Glibc

struct ReorderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reorder", abstract: "Move a document or folder in the order of its folder.",
        discussion: """
            Each folder has an order of its own, which `ls -U`, `find` and `docfs ls` show. If the other document lies in another folder, \
            or in the other container, the document is moved there first. A whole folder is put into an order by writing its `.order`: \
            one name a line. A folder that is sorted has no order that could be changed; `docfs sort DIR manual` brings its own back.

            Example: docfs reorder Plan.txt --before Groceries.txt
            """)

    @Argument(help: "The document, or the folder, to move.", completion: .documents)
    var path: String

    @Option(help: ArgumentHelp("Put it before this one.", valueName: "path"), completion: .documents)
    var before: String?

    @Option(help: ArgumentHelp("Put it after this one.", valueName: "path"), completion: .documents)
    var after: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Put it at this place, counted from 1. Beyond either end means the end.", valueName: "number"))
    var to: Int?

    func validate() throws {
        guard [before != nil, after != nil, to != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("give one of --before, --after and --to")
        }
    }

    func run() throws {
        try CommandFailure.reported {
            var entry = try EntryPath(path)
            _ = try MountedTree(holding: entry.folder)
            try entry.requireExistence()
            let target: OrderTarget
            if let neighbour = try (before ?? after).map({ try EntryPath($0) }) {
                try neighbour.requireExistence()
                if try entry.isSame(as: neighbour) { return }
                try entry.requireNoSorting(of: neighbour.folder)
                try entry.move(to: neighbour.folder)
                target = before != nil ? .before(neighbour.name) : .after(neighbour.name)
            } else {
                target = .to(to ?? 1)
            }
            try entry.place(target)
        }
    }
}
