import MountSupport
import SystemPackage
import Testing

/// The move of all documents to the preferred location, which docfs makes by itself once it is acknowledged. It is ended in its midst.
struct PreferredMove {
    let device: Device
    private let whole: KeptTree

    /// Makes some documents in `local`.
    init(on device: Device) async throws {
        self.device = device
        try await device.shell(
            "echo plan > local/Plan.txt; mkdir -p local/Work/Inner; echo deep > local/Work/Inner/Deep.txt")
        var whole = try KeptTree(of: device.local)
        whole.order = nil
        self.whole = whole
    }

    /// - Returns: whether it was acknowledged.
    func prefer(_ location: String) throws -> Bool {
        do { try (device.documents / ".location").write(location) } catch let error as Errno {
            if [.socketNotConnected, .connectionAbort, .noSuchFileOrDirectory].contains(error) { return false }
            throw error
        }
        return true
    }

    /// Whether everything has moved there, and the cloud knows it.
    func isDone(_ location: String) throws -> Bool {
        let state = try device.treeState()
        let left = try (location == "cloud" ? device.local : device.cloud).listing()
        return left.isEmpty && state["preferred"] == location && state["preferred.moving"] == nil
            && state["cloud.pending"] == "0"
    }

    /// After the mount that follows an end: what is wrong. Whatever is preferred now, all documents go there.
    ///
    /// - Parameter wanted: what must be preferred; nil if that is open.
    /// - Returns: nil if nothing is wrong.
    func loss(wanted: String?) async throws -> String? {
        let preferred = try device.treeState()["preferred"] ?? ""
        if let wanted, preferred != wanted { return "the preference is lost" }
        do { try await eventually { try isDone(preferred) } } catch is NeverCameTrue {
            return "not all is in \(preferred): \(try device.treeState())"
        }
        return try KeptTree(of: preferred == "cloud" ? device.cloud : device.local).difference(from: whole)
    }

    /// Has all documents in `local` again.
    func takeBack() async throws {
        _ = try prefer("local")
        try await eventually { try isDone("local") }
    }
}
