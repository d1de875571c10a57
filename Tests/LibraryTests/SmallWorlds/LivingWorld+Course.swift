import Documents
import TestSupport
import Testing

/// The course.
extension SmallWorlds.LivingWorld {
    func live(_ world: SmallWorld) async throws {
        try await prepare(world.start, hasOther: world.hasOther)
        laptop.names = try await names(on: laptop.device)
        guard laptop.names?[.document] != nil else { throw Fault("the start", "there is no F.txt") }
        for (index, act) in world.acts.enumerated() {
            try await perform(act, at: index == world.index ? world.stage : .waiting, laptop)
        }
        try await checkAtRest()
    }

    func live(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let start = Start.allCases[Int.random(in: 0..<Start.allCases.count, using: &random)]
        try await prepare(start, hasOther: Bool.random(using: &random))
        for _ in 0..<Int.random(in: 3...8, using: &random) {
            let side = Int.random(in: 0..<5, using: &random) < 2 ? phone : laptop
            if Int.random(in: 0..<3, using: &random) == 0 {
                tell("# \(side.device.name) reads the log")
                try await side.device.pull()
            }
            let shown = try await names(on: side.device)
            let others = shown.keys.filter { $0 != .document && !$0.name.contains("#") }.sorted()
            side.away = others.randomElement(using: &random)
            let possible = try Act.all.filter { try predict($0, "", shown, side, isOffline: false) != nil }
            let stage = Stage.allCases[Int.random(in: 0..<Stage.allCases.count, using: &random)]
            guard let act = possible.randomElement(using: &random) else { continue }
            try await perform(act, at: stage, side)
        }
        try await checkAtRest()
    }

    func tell(_ line: String) { journal.script.append(line) }

    func root(_ device: TestDevice) -> String { device.name == "laptop" ? "$LAPTOP" : "$PHONE" }

    func newText(of device: TestDevice) -> String {
        texts += 1
        return "text \(texts) of the \(device.name)" + String(repeating: ".", count: texts)
    }
}
