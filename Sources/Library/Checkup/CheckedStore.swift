/// The store as synchronization has it checked (`StoreCheck`).
package protocol CheckedStore: Sendable {
    /// Checks the store of a mount. Nothing else may change the replica meanwhile.
    ///
    /// - Parameter progress: is told percents.
    func check(repairs: Bool, progress: @escaping @Sendable (Int) -> Void) async throws -> StoreReport
}
