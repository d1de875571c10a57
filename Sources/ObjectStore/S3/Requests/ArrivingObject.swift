/// The bytes of an object, or of a part of it, that have arrived so far. If an answer breaks off, the next request asks for
/// the rest.
///
/// An object never changes, so the bytes of different answers fit together. Each answer says where it begins:
/// `Content-Range` with status 206, and the object's start with any other, for a server may ignore ranges.
struct ArrivingObject: Sendable {
    private let wanted: Range<Int64>
    /// Whether the object is wanted as a whole, and only if it ends within `wanted`.
    private let isWhole: Bool
    /// Those of `wanted`, from its start on, without a gap.
    private(set) var bytes: [UInt8] = []
    /// How long the whole object is, once an answer has told it.
    private(set) var length: Int64?
    /// Whether an answer that does not tell the length has come to its end.
    private var hasEnded = false
    /// Told how many more of the wanted bytes have come.
    private let arrived: @Sendable (Int64) -> Void

    /// A part of an object, as far as the object reaches.
    init(_ range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void = { _ in }) {
        wanted = range
        isWhole = false
        self.arrived = arrived
    }

    /// The whole of an object.
    ///
    /// - Parameter limit: one that is longer is not read to its end.
    init(limit: Int) {
        wanted = 0..<(Int64(limit) + 1)
        isWhole = true
        arrived = { _ in }
    }

    /// The first byte that is missing.
    private var next: Int64 { wanted.lowerBound + Int64(bytes.count) }

    private var end: Int64 { min(wanted.upperBound, length ?? .max) }

    /// Whether the whole object is longer than it may be.
    var isTooLong: Bool { isWhole && (length ?? next) >= wanted.upperBound }

    var isComplete: Bool { hasEnded || next >= end || isTooLong }

    /// The range that the next request asks for; nil for all.
    var range: Field? {
        guard isWhole else { return Field("Range", "bytes=\(next)-\(end - 1)") }
        return next > 0 ? Field("Range", "bytes=\(next)-") : nil
    }

    /// Appends the bytes of an answer, up to where it breaks off.
    ///
    /// - Parameter somethingCame: called whenever something has come, wanted or not.
    mutating func read(_ response: S3Response, _ somethingCame: () -> Void) async throws(S3Failure) {
        var (position, answerEnd) = try begin(response)
        if isTooLong { return }
        try await response.forEachPiece { piece throws(S3Failure) in
            somethingCame()
            let pieceEnd = position + Int64(piece.count)
            if pieceEnd > next, next < end {
                let before = bytes.count
                bytes += piece.dropFirst(Int(next - position)).prefix(Int(end - next))
                arrived(Int64(bytes.count - before))
            }
            position = pieceEnd
            return !isComplete
        }
        if isComplete { return }
        if length == nil, answerEnd.map({ position >= $0 }) ?? true { hasEnded = true }
        guard hasEnded else { throw .disconnected("the answer was cut short") }
    }

    /// - Returns: where in the object the answer begins, and where it is to end if it says so.
    private mutating func begin(_ response: S3Response) throws(S3Failure) -> (start: Int64, end: Int64?) {
        let promised = response.header("content-length").flatMap { Int64($0) }
        guard response.status == 206 else {
            try setLength(promised)
            return (0, promised)
        }
        guard let text = response.header("content-range") else {
            guard let promised else { return (next, nil) }
            let (end, isTooMuch) = next.addingReportingOverflow(promised)
            if isTooMuch { throw .malformed("it promises \(promised) bytes") }
            return (next, end)
        }
        guard let range = ContentRange(text), range.bytes.lowerBound <= next else {
            throw .malformed("it holds another part of the object than was asked for")
        }
        try setLength(range.length)
        return (range.bytes.lowerBound, range.bytes.upperBound)
    }

    private mutating func setLength(_ told: Int64?) throws(S3Failure) {
        guard let told else { return }
        if let length, length != told { throw .malformed("an object changes its length") }
        length = told
    }
}
