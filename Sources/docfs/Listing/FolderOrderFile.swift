import Foundation
import Glibc
import SystemPackage

/// `.order` of a folder: one filename a line. Writing it puts many entries in order by one action.
struct FolderOrderFile {
    private let path: String

    init(of folder: String) { path = folder + "/.order" }

    /// The names in the order of the folder.
    func names() throws -> [String] {
        guard let text = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Puts entries of the folder before or after another one, in this order. Those that are gone meanwhile are left out.
    func put(_ names: [String], _ isBefore: Bool, _ neighbour: String) throws {
        try write(Self.order(self.names(), putting: names, isBefore, neighbour))
    }

    static func order(_ old: [String], putting names: [String], _ isBefore: Bool, _ neighbour: String) -> [String] {
        let moved = Set(names)
        var rest = old.filter { !moved.contains($0) }
        let place = rest.firstIndex(of: neighbour).map { isBefore ? $0 : $0 + 1 } ?? rest.endIndex
        rest.insert(contentsOf: names.filter(Set(old).contains), at: place)
        return rest
    }

    private func write(_ names: [String]) throws {
        let file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        let text = names.joined(separator: "\n") + "\n"
        guard (try? FileDescriptor(rawValue: file).writeAll(text.utf8)) != nil, fsync(file) == 0 else {
            throw failure()
        }
    }

    private func failure() -> CommandFailure {
        CommandFailure("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
