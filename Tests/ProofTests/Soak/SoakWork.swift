import Glibc
import MountSupport
import SystemPackage
import TestSupport

/// What people and programs do to documents all day, in a folder of local documents and one of cloud documents that hold about as many at any time.
struct SoakWork: Sendable {
    static let names = 200
    private static let locations = ["local", "cloud"]
    private static let largestContent = 4000

    private let documents: TreePath
    private var random: SeededGenerator
    /// The operations that chance gave nothing to do.
    private(set) var refused = 0

    init(_ documents: FilePath, seed: UInt64) {
        self.documents = TreePath(documents)
        random = SeededGenerator(seed: seed)
    }

    mutating func step() throws {
        let location = Self.locations.randomElement(using: &random)!
        let path = documents / location / name()
        do {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<25: try path.write(content())
            case 25..<38:
                let temporary = TreePath(path.string + ".tmp")
                try temporary.write(content())
                try temporary.rename(to: path)
            case 38..<43:
                let backup = TreePath(path.string + "~")
                try path.rename(to: backup)
                try path.write(content())
                try backup.remove()
            case 43..<60: _ = try path.bytes()
            case 60..<67: try path.rename(to: documents / location / name())
            case 67..<75: try path.remove()
            case 75..<80: try path.setAttribute("user.colour", content(of: 1 + number(below: 90)))
            case 80..<84: try path.setPermissions(0o640)
            case 84..<87: try path.rename(to: documents / (location == "local" ? "cloud" : "local") / name())
            case 87..<90: try undo()
            case 90..<92: _ = try path.userAttributes()
            case 92..<95: _ = try TreePath(path.string + ".state").bytes()
            case 95..<96: _ = try (documents / location).entries()
            default: _ = try path.linkStatus()
            }
        } catch let error as Errno {
            // There is no such document, there is nothing to undo, or what is to be undone was changed since by what cannot be undone.
            guard [.noSuchFileOrDirectory, Errno(rawValue: ENODATA), .fileExists, .resourceBusy].contains(error) else {
                throw error
            }
            refused += 1
        }
    }

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func name() -> String { "Document \(number(below: Self.names)).txt" }

    private mutating func content() -> [UInt8] { content(of: number(below: Self.largestContent)) }

    private func content(of size: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "s"), count: size) }

    private mutating func undo() throws {
        try (documents / (number(below: 3) == 0 ? ".redo" : ".undo")).write([UInt8(ascii: "1")])
    }
}
