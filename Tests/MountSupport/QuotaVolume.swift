import Glibc
import SystemPackage
import Testing

/// A disk on which one device's store may take only so much room: a subvolume of btrfs, whose quotas count for root as well.
public enum QuotaVolume {
    public static var isPossible: Bool {
        let known = try? FilePath("/proc/filesystems").text()
        return DiskImage.isPossible && known?.split(separator: "\n").contains("\tbtrfs") == true
    }
}

/// Mounts a device whose store has a quota.
///
/// - Parameter limit: as btrfs(8) takes it, `48M`.
public func withQuota<Result>(
    _ limit: String, _ options: MountOptions = MountOptions(), perform body: (_ device: Device) async throws -> Result
) async throws -> Result {
    try await withDevices([("Laptop", options)]) { devices in
        let device = devices[0]
        try device.store.makeFolder()
        try await runShell(
            """
            truncate -s 256M disk.btrfs
            mkfs.btrfs -q disk.btrfs
            mkdir volume
            mount -o loop disk.btrfs volume
            btrfs quota enable volume
            btrfs subvolume create volume/store
            btrfs qgroup limit $LIMIT volume/store
            umount volume
            mount -o loop,subvol=store disk.btrfs store
            chmod 700 store
            """, in: device.folder, environment: ["LIMIT": limit])
        return try await onDiskOfItsOwn(device) { try await body(device) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Loop devices are root's, and a kernel need not have btrfs.
    public static var needsQuota: Self { .enabled(if: QuotaVolume.isPossible, "quotas take root and btrfs") }
}
