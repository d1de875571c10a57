import Backing
import Catalog
import Documents
import Glibc
@testable import Library

/// Names that go from one entry to another.
extension World {
    /// An entry leaves its name, and another one gets it before the cloud has heard of either.
    func reuseName(_ entries: [Entry], on device: SimulatedDevice) throws(Refusal) {
        let named = entries.filter { $0.location == .cloud && $0.id != nil && $0.kind != .symbolicLink }
        // The name of what must come first is free only after that.
        let away = named.filter { $0.kind == .folder || !$0.isHere }
        guard let entry = (random.once(in: 3) ? named : away).randomElement(using: &random) else { return }
        let name = entry.name?.full ?? entry.filename
        try vacate(entry, called: name, on: device, entries)
        // Within some seconds, a new file is the same document again.
        if random.once(in: 2) { pass(.seconds(20)) }
        let others = named.filter { $0.inode != entry.inode && $0.parent == entry.parent && $0.kind == entry.kind }
        if random.once(in: 2), let other = others.randomElement(using: &random) {
            trace("\(device.place.name) renames \(Self.text(other)) to \(name)")
            try rename(other, to: name, in: entry.parent, on: device)
        } else if entry.kind == .folder {
            try makeFolder(name, in: entry.parent, on: device)
        } else {
            try create(name, in: entry.parent, on: device)
        }
        ledger.count("reused")
    }

    private func vacate(
        _ entry: Entry, called name: String, on device: SimulatedDevice, _ entries: [Entry]
    ) throws(Refusal) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try move(entry, on: device, entries, to: .local)
        case 1:
            trace("\(device.place.name) renames \(Self.text(entry)) to \(name)~")
            try rename(entry, to: name + "~", in: entry.parent, on: device)
        case 2:
            trace("\(device.place.name) renames \(Self.text(entry)) to former \(steps)")
            try rename(entry, to: "former \(steps).txt", in: entry.parent, on: device)
        default:
            if entry.kind == .folder { try removeAll(entry, on: device) } else { try remove(entry, on: device) }
        }
    }
}
