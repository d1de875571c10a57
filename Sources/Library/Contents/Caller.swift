/// The thread that made a system call.
public struct Caller: Sendable {
    let thread: Int32

    /// - Parameter thread: its id in /proc; 0 if it is not known.
    public init(thread: Int32) { self.thread = thread }

    public static let unknown = Caller(thread: 0)
}
