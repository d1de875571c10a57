/// The mount that is followed has ended. What ends with it was not removed.
struct MountHasEnded: Error, CustomStringConvertible {
    let mountpoint: String

    var description: String { "the mount at \(mountpoint) has ended" }

    /// Runs a command that follows a mount. Where the mount ends, a stream of JSON says so as its last line.
    static func toldInStream(json: Bool, _ follow: () throws -> Void) throws {
        do { try follow() } catch let end as MountHasEnded {
            if json { try Output.jsonLine(DocumentEvent(event: .ended)) }
            throw end
        }
    }
}
