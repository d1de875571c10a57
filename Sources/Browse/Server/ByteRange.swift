/// The part of a content that a request asks for (RFC 9110, 14.2): one range of bytes.
package enum ByteRange: Equatable {
    case all
    case part(Range<Int64>)
    case none

    /// - Parameters:
    ///   - header: of the request; nil without one.
    ///   - size: of the content, in bytes.
    package init(header: String?, size: Int64) {
        self = .all
        guard let header, header.hasPrefix("bytes="), !header.contains(",") else { return }
        let parts = header.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let (first, last) = (Self.number(parts[0]), Self.number(parts[1]))
        switch (first, last) {
        case (let first?, _) where first >= size: self = .none
        case (let first?, let last?) where last >= first: self = .part(first..<(min(last, size - 1) + 1))
        case (let first?, nil) where parts[1].isEmpty: self = .part(first..<size)
        case (nil, let count?) where parts[0].isEmpty:
            self = count == 0 || size == 0 ? .none : .part(max(0, size - count)..<size)
        default: break
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
    }
}
