import Testing

extension SmallWorlds {
    struct SmallWorld: Sendable {
        let start: Start
        let hasOther: Bool
        let acts: [Act]
        /// The moment before the operation of this number. Before all others it is `waiting`.
        let stage: Stage
        let index: Int

        static let longest = 3

        static let all: [SmallWorld] = {
            var worlds: [SmallWorld] = []
            func add(_ acts: [Act], _ sketch: Sketch, _ start: Start) {
                if !acts.isEmpty { worlds += atAllMoments(acts, start) }
                if acts.count == longest { return }
                for act in Act.all where sketch.allows(act, start) { add(acts + [act], sketch.after(act), start) }
            }
            for start in Start.allCases { add([], Sketch(), start) }
            return worlds
        }()

        static func atAllMoments(_ acts: [Act], _ start: Start) -> [SmallWorld] {
            let others = acts.contains(.rename(.other)) ? [false, true] : [acts.contains(.exchange)]
            var worlds: [SmallWorld] = []
            for hasOther in others {
                worlds.append(SmallWorld(start: start, hasOther: hasOther, acts: acts, stage: .waiting, index: 0))
                for index in acts.indices.dropFirst() {
                    for stage in Stage.allCases where stage != .waiting {
                        worlds.append(
                            SmallWorld(start: start, hasOther: hasOther, acts: acts, stage: stage, index: index))
                    }
                }
            }
            return worlds.filter(\.canEvict)
        }

        var canEvict: Bool {
            acts.indices.allSatisfy { number in
                if acts[number] != .evict { return true }
                if number == 0 { return start == .here || start.isInConflict }
                return index == number && (stage == .read || stage == .later)
            }
        }
    }

    /// A rough idea of the names, to tell which operations are possible.
    struct Sketch {
        struct State {
            var hasDocument = true
            var away: Path?
            /// What was removed last.
            var removed: Path?
        }

        var state = State()
        /// Whether a program has it open for writing.
        var isOpen = false
        var done: [State] = []
        var undone: [State] = []

        func allows(_ act: Act, _ start: Start) -> Bool {
            switch act {
            case .create: !state.hasDocument
            case .save, .saveAgain, .rename, .remove, .evict, .createAgain, .exchange, .keep: state.hasDocument
            case .removeFolder: state.away?.place == .folder
            case .openToWrite: state.hasDocument && !isOpen
            case .writeOpened: isOpen
            case .saveByScratch, .saveByDocument, .undo: true
            case .entitle: state.hasDocument && state.away != .titled
            case .renameBack, .saveAway, .removeAway: state.away != nil
            case .redo: !undone.isEmpty
            case .restoreVersion: state.hasDocument
            case .restoreTrashed: state.removed != nil
            case .chooseOther, .discardOther, .keepCurrent: start.isInConflict && state.hasDocument
            }
        }

        func after(_ act: Act) -> Sketch {
            var next = self
            switch act {
            case .save, .saveAgain, .saveAway, .evict, .createAgain, .exchange, .keep:
                return next
            case .openToWrite, .writeOpened:
                next.isOpen = act == .openToWrite
                return next
            case .restoreVersion, .chooseOther, .discardOther, .keepCurrent:
                break
            case .undo:
                next.undone.append(state)
                // The action before those of the sequence made the document.
                next.state = next.done.popLast() ?? State(hasDocument: false, away: nil)
                return next
            case .redo:
                next.done.append(state)
                next.state = next.undone.popLast() ?? state
                return next
            case .create, .saveByScratch, .saveByDocument:
                next.state.hasDocument = true
            case .rename(let target):
                if target == .local, state.away == target.path { return next }
                next.state = State(hasDocument: false, away: target.path, removed: state.removed)
            case .renameBack:
                if state.hasDocument, state.away?.place == .local { return next }
                next.state = State(hasDocument: true, away: nil, removed: state.removed)
            case .remove:
                next.state.hasDocument = false
                next.state.removed = .document
            case .removeAway, .removeFolder:
                next.state.removed = state.away
                next.state.away = nil
            case .restoreTrashed:
                if state.removed == .document { next.state.hasDocument = true } else { next.state.away = state.removed }
                next.state.removed = nil
            case .entitle:
                next.state = State(hasDocument: false, away: .titled, removed: state.removed)
            }
            next.done.append(state)
            next.undone = []
            return next
        }
    }
}
