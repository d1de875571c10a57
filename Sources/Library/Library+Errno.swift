import Backing
import Catalog
import Documents
import Logging
import SystemPackage

/// The one place where an error becomes the number that the caller of a system call sees.
extension Library {
    /// Reads the catalog.
    func inspect<Value>(_ body: (CatalogTransaction) throws -> Value) throws(Errno) -> Value {
        do { return try catalog.read(body) } catch { throw errno(for: error) }
    }

    /// Changes the tree in one step: all of it or, when `body` throws, nothing in the catalog.
    ///
    /// - Parameter isNew: whether it makes something that takes room for good. On a full disk that is refused, before anything
    ///   is done; whatever else there is to do finds room in the reserve.
    func mutate<Value>(makingNew isNew: Bool = false, _ body: (CatalogTransaction) throws -> Value) throws(Errno)
        -> Value
    {
        let value: Value
        do {
            if isNew { try requireRoom() }
            try noteUnseenWrites()
            value = try write(body)
        } catch { throw errno(for: error) }
        stateChanged()
        return value
    }

    /// Changes the catalog; on a full disk, with the room of the reserve.
    ///
    /// - Parameter body: may be run again after it was undone: another program may have taken the room.
    func write<Value>(_ body: (CatalogTransaction) throws -> Value) throws -> Value {
        let isReserveUsed = reserve.makeRoom()
        defer { if isReserveUsed { endReserveUse() } }
        for _ in 1...Self.mostTries {
            do { return try catalog.write(body) } catch CatalogError.full where reserve.giveUpSlice() {}
        }
        return try catalog.write(body)
    }

    private static let mostTries = 4

    /// - Throws: ENOSPC, or what the catalog throws.
    private func requireRoom() throws {
        try catalog.requireRoom()
        if reserve.isScarce { throw Errno.noSpace }
    }

    /// On a full disk the log of the catalog must not use up the reserve, commit by commit: it is emptied while there is room for
    /// that.
    func endReserveUse() {
        do { try catalog.shrinkLog(to: 128 << 10) } catch {
            logger.warning("the catalog could not be made smaller on a full disk", metadata: ["error": "\(error)"])
        }
        reserve.takeBack()
    }

    /// Whether something new may be made, for those who find out later whether they must.
    var hasRoom: Bool { (try? requireRoom()) != nil }

    private func errno(for error: any Error) -> Errno {
        switch error {
        case let error as Errno: return error
        case let error as NameError: return Errno(error)
        case let error as RenameRefusal: return Errno(error)
        case CatalogError.full: return .noSpace
        default:
            logger.error("an operation failed", metadata: ["error": "\(error)"])
            return .ioError
        }
    }
}

extension Errno {
    public init(_ error: NameError) {
        self =
            switch error {
            case .invalid: .invalidArgument
            case .notUTF8: .illegalByteSequence
            case .tooLong: .fileNameTooLong
            }
    }

    init(_ refusal: RenameRefusal) {
        self =
            switch refusal {
            case .exists: .fileExists
            case .isFolder: .isDirectory
            case .notFolder: .notDirectory
            case .cannotExchange: .invalidArgument
            }
    }
}
