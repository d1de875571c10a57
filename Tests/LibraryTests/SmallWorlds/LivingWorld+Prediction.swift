import Documents
import Catalog
@testable import Library
import Testing

/// What an operation must do.
extension SmallWorlds.LivingWorld {
    /// - Returns: nil for an operation that is not possible.
    func predict(_ act: Act, _ text: String, _ names: Names, _ side: Side, isOffline: Bool) throws
        -> Prediction?
    {
        var prediction = Prediction(names: names)
        /// Several documents may have one name after a merge; an operation on such a name is not predicted.
        func isAmbiguous(_ path: Path) -> Bool { names[Path(path.place, path.name + "#2")] != nil }
        func spend(_ path: Path) {
            prediction.spent.formUnion([names[path]].compactMap { $0 } + (side.removed[path] ?? []))
        }
        func write(_ path: Path) {
            spend(path)
            prediction.names[path] = text
            prediction.writes = true
        }
        func move(_ source: Path, to path: Path) {
            spend(path)
            prediction.names[path] = names[source]
            prediction.names[source] = nil
        }
        switch act {
        case .create:
            guard names[.document] == nil else { return nil }
            write(.document)
            prediction.isUndoable = !side.freed.contains(.document)

        case .createAgain:
            guard names[.document] != nil else { return nil }
            prediction.refusal = Refusal.nameExists

        case .exchange:
            let other = side.away ?? Target.other.path
            guard let first = names[.document], let second = names[other], !isAmbiguous(.document), !isAmbiguous(other),
                let folder = other.place.inode(on: side.device)
            else { return nil }
            (prediction.names[.document], prediction.names[other]) = (second, first)
            let areHere =
                try side.device.entry(Path.document.name).isBackingCurrent
                && side.device.entry(other.name, in: folder).isBackingCurrent
            if other.place == .local { prediction.refusal = Refusal.rename(.cannotExchange) }
            prediction.mayRefuse = { !areHere && $0 == Refusal.rename(.contentNotHere) }

        case .removeFolder:
            let inside = names.keys.filter { $0.place == .folder }
            guard side.away?.place == .folder, inside.count == 1, let folder = Place.folder.inode(on: side.device)
            else { return nil }
            for path in inside {
                prediction.names[path] = nil
                prediction.isUndoable = try side.device.entry(path.name, in: folder).kind == .document
                if !prediction.isUndoable { prediction.spent.formUnion([names[path]].compactMap { $0 }) }
            }

        case .openToWrite:
            guard names[.document] != nil, !isAmbiguous(.document), side.opened == nil else { return nil }
            prediction.mayRefuse = { isOffline && $0 == Refusal.cloudUnreachable }

        case .writeOpened:
            guard let path = try pathOfOpened(side) else {
                guard let old = try textOfOpened(side) else { return nil }
                prediction.spent.insert(old)
                (prediction.writes, prediction.isNameless) = (true, try !isOpenedInTrash(side))
                break
            }
            if isAmbiguous(path) { return nil }
            write(path)

        case .keep:
            guard names[.document] != nil, !isAmbiguous(.document) else { return nil }

        case .save, .saveAgain, .saveAway:
            let known: Path? = act != .saveAway ? Path.document : side.away
            guard let path = known, names[path] != nil, !isAmbiguous(path) else { return nil }
            write(path)
            prediction.mayRefuse = { isOffline && $0 == Refusal.cloudUnreachable }

        case .saveByScratch, .saveByDocument:
            let temporary = act == .saveByScratch ? Path.temporaryScratch : Path.temporaryDocument
            guard names[temporary] == nil, !isAmbiguous(.document) else { return nil }
            write(.document)

        case .rename(let target):
            let path = target.path
            guard names[.document] != nil, !isAmbiguous(.document), !isAmbiguous(path),
                path.place.inode(on: side.device) != nil
            else { return nil }
            let entry = try side.device.entry(Path.document.name)
            let (isInConflict, isCurrent) = (entry.conflicts > 0, entry.isBackingCurrent)
            // Its other versions stay a document, unless a program makes it anew (`PlaceholderNamesTests`).
            if isInConflict, target == .scratchBackup { return nil }
            if path.place == .local, names[path] != nil {
                prediction.refusal = Refusal.rename(.exists)
            } else if target.leavesCloud, isInConflict, target != .scratchBackup {
                prediction.refusal = Refusal.rename(.migration(.inConflict))
            } else if target.leavesCloud, isOffline, !isCurrent, !isInConflict {
                prediction.refusal = Refusal.rename(.migration(.notHere))
            } else {
                move(.document, to: path)
            }
            let isBack = isInConflict && entry.pending.contains(.creation) && names[path] != nil
            prediction.mayRefuse = {
                isOffline && target.leavesCloud && $0 == Refusal.rename(.migration(.notHere))
                    // Its versions would be lost before the container has it again.
                    || isBack && $0 == Refusal.rename(.migration(.inConflict))
            }
            prediction.isUndoable = names[path] == nil && !target.isScratch && !side.freed.contains(path)

        case .renameBack:
            guard let away = side.away, names[away] != nil, !isAmbiguous(away), !isAmbiguous(.document),
                let folder = away.place.inode(on: side.device)
            else { return nil }
            let entry = try side.device.entry(away.name, in: folder)
            let isArriving = away.place == .local && !entry.isHere
            if away.place == .local, names[.document] != nil {
                prediction.refusal = Refusal.rename(.exists)
            } else {
                move(away, to: .document)
            }
            // The content may arrive meanwhile.
            prediction.mayRefuse = { isArriving && $0 == Refusal.rename(.migration(.stillArriving)) }
            prediction.isUndoable =
                names[.document] == nil && entry.kind == .document && !side.freed.contains(.document)

        case .remove, .removeAway:
            let known: Path? = act == .remove ? Path.document : side.away
            guard let path = known, let old = names[path], !isAmbiguous(path),
                let folder = path.place.inode(on: side.device)
            else { return nil }
            prediction.names[path] = nil
            prediction.isUndoable = try side.device.entry(path.name, in: folder).kind == .document
            if !prediction.isUndoable { prediction.spent.insert(old) }

        case .entitle:
            guard names[.document] != nil, names[.titled] == nil, !isAmbiguous(.document) else { return nil }
            prediction.names[.titled] = names[.document]
            prediction.names[.document] = nil
            prediction.isUndoable = true

        case .evict:
            guard names[.document] != nil, !isAmbiguous(.document) else { return nil }
            prediction.mayRefuse = { if case .staysHere = $0 { true } else { false } }

        case .restoreVersion:
            guard names[.document] != nil, names[.temporaryVersion] == nil, !isAmbiguous(.document) else { return nil }
            spend(.document)
            prediction.names[.document] = text
            // Of what is not here nothing can be kept; the command downloads it first.
            prediction.isUndoable = try side.device.entry(Path.document.name).isBackingCurrent

        case .restoreTrashed:
            guard let trashed = try trashed(on: side.device),
                let path = try path(of: trashed, on: side.device)
            else { return nil }
            if names[path] == nil { prediction.names[path] = text }
            prediction.isUndoable = true
            prediction.mayRefuse = { refusal in
                switch refusal {
                case .undo(.nameIsTaken): names[path] != nil
                default: false
                }
            }

        case .chooseOther, .discardOther, .keepCurrent:
            guard names[.document] != nil, !isAmbiguous(.document) else { return nil }
            // The program at work on the document has its say when it closes it.
            if side.opened != nil, act == .chooseOther { return nil }
            prediction.isUndoable = true
            if act == .chooseOther {
                // An edit that was not sent goes to the trash.
                if try !side.device.entry(Path.document.name).pending.contains(.content) { spend(.document) }
                prediction.names[.document] = text
            } else {
                prediction.spent.insert(text)
            }

        case .undo, .redo:
            let isKnown = (act == .undo ? side.undoneNames : side.redoneNames) != nil && side.names != nil
            prediction.mayRefuse = { refusal in
                switch refusal {
                case .rename(.migration), .undo(.contentIsGone): true
                case .undo: !isKnown
                default: false
                }
            }
        }
        return prediction
    }

    /// Where a document comes back to.
    func path(of trashed: Trashed, on device: TestDevice) throws -> Path? {
        let place = try device.library.transactions.inspect { try device.library.undoing.place(of: trashed.step, $0) }
        let name = trashed.step.entry.name?.full ?? trashed.step.entry.filename
        return Place(rawValue: place).map { Path($0, name) }
    }
}
