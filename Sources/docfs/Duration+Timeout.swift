extension Duration {
    /// As long as a person asked to wait at most. More than thirty years are as good as for ever, and more than times can hold.
    ///
    /// - Parameter seconds: not negative, and a number.
    init(timeout seconds: Double) { self = .seconds(min(seconds, 1e9)) }
}
