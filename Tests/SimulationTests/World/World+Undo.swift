import Catalog
import Documents
import Foundation
@testable import Library
@testable import Replica
import Replication

/// Undo and redo.
extension World {
    /// Undoes the last action of a device, or does it again. Each document that comes back must be as it was when it was removed.
    func perform(_ direction: ActionDirection, on device: SimulatedDevice) throws(Refusal) {
        let last = try device.library.transactions.inspect { rows -> (ActionRecord, [ActionStep])? in
            guard let action = try rows.actions(direction, limit: 1).first else { return nil }
            return (action, try rows.steps(of: action.id))
        }
        guard let (action, steps) = last else { return }
        trace("\(device.place.name): \(direction.rawValue) \(action.name.text)")
        for step in steps { try noteUndoing(step, on: device) }
        let contents = steps.filter(\.isInTrash).map { (step: $0, content: contentInTrash(of: $0, on: device)) }
        try device.library.perform(direction)
        for (step, content) in contents { try checkReturn(of: step, content, on: device) }
        ledger.count(direction.rawValue)
    }

    /// Records what the inversion of a step removes, or takes out of the cloud.
    private func noteUndoing(_ step: ActionStep, on device: SimulatedDevice) throws(Refusal) {
        if step.change == .placed,
            let entry = try device.library.transactions.inspect({ try $0.entry(step.entry.inode) }),
            (entry.id == nil) != (step.entry.id == nil)
        {
            try noteBecomingScratch(entry, on: device)
        }
        guard let id = step.entry.id,
            let entry = try device.library.transactions.inspect({ try $0.entry(id) })
        else { return }
        switch step.change {
        case .present: noteDeletion(of: entry, on: device)
        case .placed where entry.location == .cloud && step.entry.location == .local:
            let inner = try device.library.transactions.inspect { try $0.descendants(of: entry.inode) }
            for entry in [entry] + (entry.kind == .folder ? inner : []) {
                if let id = entry.id { ledger.noteLeft(id) }
                noteDeletion(of: entry, on: device, keepsContent: true)
            }
        case .placed, .removed, .preferred, .chosen, .restored: break
        }
    }

    private func contentInTrash(of step: ActionStep, on device: SimulatedDevice) -> ContentHash? {
        let path = "\(device.place.path)/trash/\(step.entry.inode)"
        guard let bytes = try? Array(Data(contentsOf: URL(fileURLWithPath: path))) else { return nil }
        return contentHash(bytes)
    }

    private func isContent(
        _ content: ContentHash, of version: VersionID?, of id: EntryID, on device: SimulatedDevice
    ) throws(Refusal) -> Bool {
        try device.library.transactions.inspect { rows in
            try CatalogReplica(rows).entry(id)?.versions?.all.contains { $0.id == version && $0.sha256 == content }
                == true
        }
    }

    private func checkReturn(of step: ActionStep, _ content: ContentHash?, on device: SimulatedDevice) throws(Refusal) {
        let former = step.entry
        guard let id = former.id, let entry = try device.library.transactions.inspect({ try $0.entry(id) }) else {
            return ledger.fail("\(device.place.name): '\(former.filename)' did not come back")
        }
        guard let content else {
            if entry.isHere { ledger.fail("\(device.place.name): '\(former.filename)' came back from nowhere") }
            return
        }
        if localContent(of: entry.inode, on: device) != content {
            ledger.fail("\(device.place.name): '\(former.filename)' came back with another content")
        }
        // As a change it would be sent in the place of all that the container has of the document.
        if !former.pending.contains(.content), entry.pending.contains(.content),
            try isContent(content, of: former.contentVersion, of: id, on: device)
        {
            ledger.fail("\(device.place.name): '\(former.filename)', which nobody changed, came back as a change")
        }
        // It is one file throughout: what the program writes on must be the document's.
        if let writer = writer(ofFileOf: entry, on: device), writer.inode != entry.inode {
            ledger.fail("\(device.place.name): '\(former.filename)' came back apart from the program that has it open")
        }
        ledger.noteSave(content, by: device.index)
        if entry.location == .local,
            entry.filename != former.filename || entry.name != former.name
                || entry.attributes != former.attributes || entry.mode != former.mode || entry.created != former.created
                || former.location == .local && entry.position != former.position
        {
            ledger.fail("\(device.place.name): '\(former.filename)' came back otherwise than it was")
        }
    }
}
