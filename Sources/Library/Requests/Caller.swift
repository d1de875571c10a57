/// The thread that made a system call.
public struct Caller: Sendable, Equatable {
    let thread: Int32

    /// - Parameter thread: its id in /proc; 0 if it is not known.
    public init(thread: Int32) { self.thread = thread }

    /// For calls that no system call caused, and for those whose thread the kernel does not tell.
    public static let unknown = Caller(thread: 0)

    /// The move of everything to the preferred location, which docfs does by itself. No thread has this number.
    static let preferredMove = Caller(thread: -2)
}
