import Testing

/// Small worlds of names: all sequences of up to three operations on one document, and chance for longer ones. Of each world the test keeps a
/// model, the names with their texts, and compares the device with it after each operation, and both devices at rest.
///
/// The laptop acts; the phone is the other device. These reductions keep the number of worlds small:
///
/// - Only operations that are possible are in a sequence, by a rough idea of the names (`Sketch`). One that turns out not to be possible is left
///   out when the world lives.
/// - Of one world, one moment between two operations is another one than `waiting`.
/// - `G.txt` is there at the start only in worlds that rename to it, once with it and once without.
/// - `evict` is only where it can succeed: of a document that the cloud has.
/// - `exchange` is with the other name of the document, or with `G.txt`; `rm -r` is of a folder with one document in it. One program at a time has
///   a document open for writing, and of versions in conflict nobody chooses another one meanwhile.
/// - The document has one other name at a time (`away`): operations on what was renamed go to the last name that it got.
/// - Operations are made by no known process, so that each makes an action of its own.
///
/// The default is a sample, the same each time. `DOCFS_SMALL_WORLDS=N` takes N, 0 takes all; `DOCFS_SMALL_WORLDS_SEED` another sample;
/// `DOCFS_SMALL_WORLD=NUMBER` takes one world (`rNUMBER` one of chance) and prints its script.
@Suite(.timeLimit(.minutes(240)))
struct SmallWorldTests {
    @Test func `no text is lost, and no name means another one, in any small world of names`() async throws {
        let outcomes = await SmallWorlds.live(SmallWorlds.chosen)
        if SmallWorlds.only != nil { for outcome in outcomes { print(outcome.report) } }
        let faulty = outcomes.filter { $0.fault != nil }
        let kinds = Dictionary(grouping: faulty) { $0.fault?.kind ?? "" }.sorted { $0.key < $1.key }
        for (_, outcomes) in kinds {
            // The shortest ones tell the most.
            for outcome in outcomes.sorted(by: { $0.script.count < $1.script.count }).prefix(SmallWorlds.mostShown) {
                Issue.record("\(outcome.report)")
            }
        }
        let details =
            [
                "of \(SmallWorlds.SmallWorld.all.count) small worlds and of chance",
                "\(outcomes.reduce(0) { $0 + $1.acts }) operations",
                "\(outcomes.reduce(0) { $0 + $1.refusals }) refused",
                "\(outcomes.reduce(0) { $0 + $1.skips }) not possible",
            ] + kinds.map { "\($0.key): \($0.value.count)" }
        print(
            "proof: NAMES: \(outcomes.count) worlds, \(faulty.count) lost (\(details.joined(separator: ", ")))")
        if outcomes.count >= 100 { #expect(outcomes.contains { $0.refusals > 0 }) }
    }
}
