import Documents

/// `Documents/.location`.
extension Library {
    /// The text of the file.
    public var preferredLocationText: String { preferredLocation.text }

    /// Makes the container the preferred one that a text means, and has everything move there in the background.
    ///
    /// - Throws: EINVAL for another word; ENOSPC, EIO.
    public func setPreferredLocation(text: [UInt8]) throws(Refusal) {
        guard let location = LocationText.location(text) else { throw .unknownLocation }
        try preferredLocation.setPreferredLocation(location)
    }
}
