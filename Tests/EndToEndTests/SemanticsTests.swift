import Foundation
import MountSupport
import SystemPackage
import Testing

/// The examples of the page Semantics and of the README, on fresh mounts.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct SemanticsTests {
    @Test(arguments: try ExamplePage.semantics.examples + ExamplePage.readme.examples)
    func `every example of Semantics and of the README does what the page shows`(example: Example) async throws {
        let names = example.block.machines.isEmpty ? ["laptop"] : example.block.machines
        try await withUnmountedDevices(names.map(\.capitalized)) { devices in
            let shared = devices[0].cloudDirectory.path
            var run = try await ExampleRun(example.block, on: devices, shared: shared)
            for step in example.block.steps {
                do {
                    try await run.perform(step)
                } catch {
                    Issue.record(error, sourceLocation: example.page.location(line: step.line))
                    return
                }
            }
        }
    }
}
