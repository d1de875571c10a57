import Catalog
@testable import CloudSynchronization
import Documents
@testable import Library
import Testing

/// An operation.
extension SmallWorlds.LivingWorld {
    func perform(_ act: Act, at stage: Stage, _ side: Side) async throws {
        let device = side.device
        try await reach(stage, side)
        let before = try await names(on: device)
        if let model = side.names, model != before {
            throw Fault(Fault.names, "at the moment “\(stage)”: \(Self.difference(model, before))")
        }
        guard let text = try await self.text(for: act, side) else {
            try skip(act, stage, side)
            return
        }
        guard let prediction = try predict(act, text, before, side, isOffline: stage == .offline) else {
            try skip(act, stage, side)
            return
        }
        let held = try await holdings(of: device, before)
        let redone = try await trash(of: device, [.redo])
        let versions = try await conflictVersions(act, side)
        for line in lines(of: act, text, side) { tell(line) }
        journal.acts += 1
        var refusal: Refusal?
        do { try await carryOut(act, text, side) } catch let error as Refusal { refusal = error }
        if stage == .offline { _ = device.connection.set(.online) }
        let after = try await names(on: device)
        if let refusal {
            try await check(refusal, prediction, act, before, after, held, side)
            return
        }
        if let required = prediction.refusal { throw Fault(Fault.allowed, "\(act) instead of \(required)") }
        spent.formUnion(prediction.spent)
        if prediction.writes {
            written.insert(text)
            if prediction.isNameless { spent.insert(text) } else { spent.remove(text) }
        }
        switch act {
        // A new action clears redo, and with it what an undone creation had made.
        case .undo, .redo, .evict, .openToWrite: break
        default: spent.formUnion(redone)
        }
        try check(act, before, after, prediction, side)
        try checkMeanings(after, on: device)
        let missing = try await held.subtracting(holdings(of: device, after))
        if act == .rename(.scratchBackup) { suspended.formUnion(missing) }
        var lost = missing.subtracting(spent).subtracting(suspended)
        // What the other device removed, it can bring back.
        let other = side === laptop ? phone : laptop
        if !lost.isEmpty { lost = try await lost.subtracting(holdings(of: other.device, names(on: other.device))) }
        if !lost.isEmpty { throw Fault(Fault.lost, "after \(act): \(lost.sorted())") }
        remember(act, before, after, prediction, versions, side)
    }

    func skip(_ act: Act, _ stage: Stage, _ side: Side) throws {
        tell("# not possible: \(act)")
        journal.skips += 1
        if stage == .offline { _ = side.device.connection.set(.online) }
    }

    func check(
        _ refusal: Refusal, _ prediction: Prediction, _ act: Act, _ before: Names, _ after: Names, _ held: Set<String>,
        _ side: Side
    ) async throws {
        journal.refusals += 1
        tell("# refused: \(refusal)")
        if prediction.refusal != refusal, !prediction.mayRefuse(refusal) {
            throw Fault(Fault.refused, "\(act): \(refusal)")
        }
        if before != after { throw Fault(Fault.changed, "\(act), \(refusal): \(Self.difference(before, after))") }
        let missing = try await held.subtracting(holdings(of: side.device, after)).subtracting(spent)
        if !missing.isEmpty { throw Fault(Fault.changed, "\(act), \(refusal): \(missing.sorted()) is gone") }
        // A step that can never be undone leaves the list.
        if act == .undo || act == .redo { (side.undoneNames, side.redoneNames) = (nil, nil) }
    }

    /// Compares the names after an operation with those that it must lead to.
    func check(_ act: Act, _ before: Names, _ after: Names, _ prediction: Prediction, _ side: Side) throws {
        // Another device may have renamed what comes back.
        guard act == .undo || act == .redo || act == .restoreTrashed && side.names == nil else {
            if after != prediction.names {
                throw Fault(Fault.names, "after \(act): \(Self.difference(prediction.names, after))")
            }
            return
        }
        let unknown = Set(after.values).subtracting(written)
        if !unknown.isEmpty { throw Fault(Fault.undo, "\(act): \(unknown.sorted()) was never written") }
        if side.names == nil { return }
        if let expected = act == .undo ? side.undoneNames : side.redoneNames {
            if after != expected { throw Fault(Fault.undo, "\(act): \(Self.difference(expected, after))") }
            return
        }
        // Each action is about one entry.
        let gone = before.filter { after[$0.key] != $0.value }
        let new = after.filter { before[$0.key] != $0.value }
        if gone.count > 1 || new.count > 1 {
            throw Fault(Fault.undo, "\(act), from: \(before), to: \(after)")
        }
    }

    /// Each name that is listed resolves, and no other.
    func checkMeanings(_ names: Names, on device: TestDevice) throws {
        for path in Path.known {
            guard let folder = path.place.inode(on: device) else { continue }
            // A document is found by its filename, too: what had a name with a dot keeps that.
            if let entry = try? device.entry(path.name, in: folder), entry.filename == path.name { continue }
            if device.exists(path.name, in: folder) != (names[path] != nil) {
                let answer = names[path] == nil ? "resolves and is not listed" : "is listed and does not resolve"
                throw Fault(Fault.names, "\(path) \(answer)")
            }
        }
    }

    /// - Parameter versions: the conflict versions that the document had before.
    func remember(
        _ act: Act, _ before: Names, _ after: Names, _ prediction: Prediction, _ versions: Set<String>, _ side: Side
    ) {
        if side.names != nil { side.names = after }
        func use(_ path: Path) {
            side.freed.remove(path)
            side.removed[path] = nil
        }
        switch act {
        case .create, .createAgain, .saveByScratch, .saveByDocument:
            use(.document)
        case .exchange:
            use(.document)
            use(side.away ?? Target.other.path)
        case .rename(let target):
            use(target.path)
            if target.freesName { side.freed.insert(.document) }
            side.away = target.path
        case .renameBack:
            use(.document)
            side.away = nil
        case .remove, .removeAway, .removeFolder:
            let known: Path? = act == .remove ? Path.document : side.away
            guard let path = known else { break }
            if prediction.isUndoable {
                side.freed.insert(path)
                side.removed[path] = versions.union([before[path]].compactMap { $0 })
            }
            if act != .remove { side.away = nil }
        case .entitle:
            side.away = .titled
        case .restoreTrashed:
            for (path, content) in after where before[path] != content {
                use(path)
                if path != .document { side.away = path }
            }
        case .undo, .redo:
            side.removed = side.removed.filter { $0.value.isDisjoint(with: after.values) }
            if let away = side.away, after[away] == nil { side.away = nil }
        case .save, .saveAgain, .saveAway, .openToWrite, .writeOpened, .keep, .evict, .restoreVersion, .chooseOther,
            .discardOther, .keepCurrent:
            break
        }
        switch act {
        case .evict, .openToWrite: break
        case .undo: (side.undoneNames, side.redoneNames) = (nil, before)
        case .redo: (side.undoneNames, side.redoneNames) = (before, nil)
        default: (side.undoneNames, side.redoneNames) = (prediction.isUndoable ? before : nil, nil)
        }
    }
}
