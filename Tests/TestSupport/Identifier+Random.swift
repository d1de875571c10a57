import Documents
import Foundation

extension Identifier {
    /// A new id, for tests in which any will do. docfs itself passes a generator.
    public static func random() -> Self { Self(UUID()) }
}
