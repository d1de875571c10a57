import Backing
import Documents
import Filesystem
import Glibc
import Library
import Logging
import ObjectStore
import SystemPackage

/// The arguments of a mount with absolute paths. Its initializer checks every precondition that can be checked before anything
/// is changed.
struct MountRequest {
    let mountpoint: String
    let storePath: String
    /// The container of the store, told or remembered.
    let cloud: CloudURL
    /// Where the container was that the store belongs to; nil if the store remembers none.
    let formerCloud: CloudURL?
    /// Whether that container is one that its keeper cannot read.
    let formerIsEncrypted: Bool
    /// What the store remembers from now on.
    let storeOptions: StoreOptions
    let options: MountOptions
    let isBackground: Bool
    /// What opens an encrypted container; nil if nobody said it.
    let passphrase: Passphrase?

    init(mountpoint: String, options: MountOptions, passphrase: Passphrase?, isBackground: Bool) throws {
        storePath = try Self.storePath(options)
        StoreLock.waitForEndingHolder(path: storePath)
        self.mountpoint = try Self.checkedMountpoint(mountpoint, mayHoldFiles: options.nonEmpty)
        let remembered = try StoreOptions(ofStore: storePath)
        formerCloud = try remembered.cloud.map { url throws(CloudURLError) in try CloudURL(url) }
        formerIsEncrypted = remembered.isEncrypted ?? false
        let told = try options.cloud.map { url throws(CloudURLError) in try CloudURL(url) }
        cloud = told ?? formerCloud ?? .directory(storePath + "-cloud")
        try Self.checkPlace(of: cloud, storePath: storePath, mountpoint: self.mountpoint)
        storeOptions = remembered.replaced(by: options)
        self.options = options
        self.isBackground = isBackground
        self.passphrase = passphrase
        guard access("/dev/fuse", F_OK) == 0 else {
            throw CommandFailure("/dev/fuse is missing; load the kernel module with `modprobe fuse`")
        }
    }

    /// Whether the container may be another one than the store belongs to.
    var mayBeOtherCloud: Bool { formerCloud.map { !$0.isSamePlace(as: cloud) } ?? true }

    /// Whether the documents are to go to the container at `cloud`, where the store belongs to another one.
    var movesToOtherCloud: Bool { options.moveToThisCloud && mayBeOtherCloud }

    /// Whether the store belongs to a container, and is told another place.
    var leavesFormerCloud: Bool { formerCloud != nil && mayBeOtherCloud }

    /// The absolute path of the store, told or by default.
    static func storePath(_ options: MountOptions) throws -> String { absolute(try options.store ?? defaultStore()) }

    private static func checkPlace(of cloud: CloudURL, storePath: String, mountpoint: String) throws {
        guard case .directory(let path) = cloud else { return }
        let container = absolute(path)
        if "\(container)/".hasPrefix("\(storePath)/") {
            throw CommandFailure("the cloud folder \(container) is inside the store \(storePath); choose one elsewhere")
        }
        if "\(container)/".hasPrefix("\(mountpoint)/") {
            throw CommandFailure("the cloud folder \(container) is inside the mountpoint; choose one elsewhere")
        }
    }

    private static func checkedMountpoint(_ path: String, mayHoldFiles: Bool) throws -> String {
        // A killed docfs leaves a dead mountpoint behind; it is removed. `try?`: usually no docfs is mounted here.
        if let mount = try? MountedTree(holding: path), mount.isDead { try Unmounting.detach(mount.mountpoint) }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandFailure("the mountpoint \(path) is missing; create it with `mkdir -p \(path)`")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure("the mountpoint \(path) is not a folder; name an empty folder")
        }
        let absolute = try resolved(path)
        if try MountTable.current().contains(where: { $0.mountpoint == absolute }) {
            throw CommandFailure(
                "the mountpoint \(path) is in use: something is mounted there already; `docfs unmount \(path)` ends a docfs mount"
            )
        }
        if try !mayHoldFiles && !FolderContent.entries(of: absolute).isEmpty {
            throw CommandFailure(
                "the mountpoint \(path) is not empty: what is in it could not be seen; name an empty folder, or say --non-empty"
            )
        }
        return absolute
    }

    private static func resolved(_ path: String) throws -> String {
        guard let real = realpath(path, nil) else {
            throw CommandFailure("cannot resolve the mountpoint \(path): \(Errno(rawValue: errno))")
        }
        defer { free(real) }
        return String(cString: real)
    }

    private static func defaultStore() throws -> String {
        if let data = getenv("XDG_DATA_HOME").map({ String(cString: $0) }), data.hasPrefix("/") {
            return data + "/docfs"
        }
        guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else {
            throw CommandFailure("neither XDG_DATA_HOME nor HOME is set; name a store with --store")
        }
        return home + "/.local/share/docfs"
    }

    private static func absolute(_ path: String) -> String {
        var components: [Substring] = []
        var whole = path
        if !path.hasPrefix("/"), let current = getcwd(nil, 0) {
            defer { free(current) }
            whole = String(cString: current) + "/" + path
        }
        for component in whole.split(separator: "/") where component != "." {
            if component == ".." { _ = components.popLast() } else { components.append(component) }
        }
        return "/" + components.joined(separator: "/")
    }
}
