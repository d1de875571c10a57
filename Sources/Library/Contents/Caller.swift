/// Who asks: the thread that a system call came from.
public struct Caller: Sendable {
    let thread: Int32

    /// - Parameter thread: its number in /proc; 0 where nobody knows.
    public init(thread: Int32) { self.thread = thread }

    public static let unknown = Caller(thread: 0)
}
