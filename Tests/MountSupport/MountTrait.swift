import TestSupport
import Testing

/// Lets few tests have mounts at one time, so that two cores serve each of them promptly.
///
/// The slot is taken around the whole test, outside its time limit: waiting for one costs no time
/// of the test's own.
public struct MountTrait: SuiteTrait, TestTrait, TestScoping {
    private static let slots = Slots(count: 6)

    public let isRecursive = true

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil && !test.isSuite ? self : nil
    }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.slots.use(isFirst: test.tags.contains(.long), function)
    }
}

extension Tag {
    /// It takes long, mostly by waiting. It begins before the others: at the end of a run it would have the processors for itself.
    @Tag public static var long: Self
}

extension Trait where Self == MountTrait {
    public static var mounting: Self { Self() }
}
