import Foundation
import Glibc
import SystemPackage
import Testing

/// A small disk for one device's store: an ext4 file system with a journal on a loop device.
///
/// It can simulate a loss of power: only data that had reached the disk by then is left.
public struct DiskImage: Sendable {
    public let device: Device
    private var folder: FilePath { device.folder }
    private var image: FilePath { folder / "disk.ext4" }

    /// Where it is mounted: as `device.store`.
    private var mountpoint: FilePath { device.store }

    public static var isPossible: Bool { geteuid() == 0 && FilePath("/dev/loop-control").exists }

    fileprivate func attach(size: String) async throws {
        try mountpoint.makeFolder()
        try await runShell(
            "truncate -s $SIZE disk.ext4; mkfs.ext4 -q -m 0 disk.ext4; mount -o loop disk.ext4 store; chmod 700 store; rmdir store/lost+found",
            in: folder, environment: ["SIZE": size])
    }

    /// Writes all dirty pages to the disk.
    public func synchronize() async throws { try await runShell("sync -f store", in: folder) }

    /// Loses power: kills docfs and drops everything that has not reached the disk.
    ///
    /// - Parameter keepsNames: whether ext4 had just written its journal, as it does every five seconds and for each sync of any file: names and
    ///   sizes have reached the disk then, and what was written into files need not have.
    public func losePower(keepsNames: Bool = false) async throws {
        // The file system is frozen while the disk is copied, so that the copy is one state in time.
        device.signalProcesses(SIGSTOP)
        if keepsNames { try await runShell("echo > store/other; sync store/other", in: folder) }
        try await runShell("cp --sparse=always disk.ext4 left.ext4", in: folder)
        device.killProcesses()
        try await eventually { device.processes.isEmpty }
        try await device.clearDeadMount()
        try await runShell("umount -l store; mv left.ext4 disk.ext4; mount -o loop disk.ext4 store", in: folder)
    }

    /// Fills the disk, as another program would. ext4 sets blocks aside for data that is not written out yet, more than it then needs: they
    /// are free again after a sync, so the disk is full only when nothing can be added after one.
    public func fill() async throws {
        try await runShell(
            """
            append() { dd if=/dev/zero of=store/hog oflag=append conv=notrunc status=none "$@" 2>/dev/null; }
            for size in 1M 64k 4k 512; do append bs=$size || :; done
            sync -f store
            while append bs=4k count=1; do append bs=64k || append bs=4k || :; sync -f store; done
            """, in: folder)
    }

    /// The kernel finds an error on the disk and makes it read-only, as Debian mounts ext4 (`errors=remount-ro`). What was not synced is lost.
    public func becomeReadOnly() async throws {
        try await runShell(
            """
            device=$(findmnt --noheadings --output SOURCE --mountpoint "$PWD/store")
            mount -o remount,errors=remount-ro "$device" store
            echo failed >"/sys/fs/ext4/${device#/dev/}/trigger_fs_error"
            """, in: folder)
    }

    /// Checks the disk and mounts it again. docfs must have ended.
    public func repair() async throws {
        try await runShell(
            "umount store; e2fsck -fy disk.ext4 >/dev/null 2>&1 || test $? -le 2; mount -o loop disk.ext4 store",
            in: folder)
    }

    public func makeRoom() async throws { try await runShell("rm store/hog; sync -f store", in: folder) }
}

/// Mounts a device whose store is a disk of its own.
public func withDiskImage<Result>(
    size: String = "128M", _ options: MountOptions = MountOptions(),
    perform body: (_ device: Device, _ disk: DiskImage) async throws -> Result
) async throws -> Result {
    try await withDevices([("Laptop", options)]) { devices in
        try await onDisk(size: size, devices[0]) { disk in try await body(devices[0], disk) }
    }
}

/// Mounts a device whose store is a disk of its own, and another that shares its cloud and keeps its power.
public func withDiskImage<Result>(
    size: String = "128M", _ options: MountOptions = MountOptions(), besides otherOptions: MountOptions,
    perform body: (_ device: Device, _ disk: DiskImage, _ other: Device) async throws -> Result
) async throws -> Result {
    // Dozens of mounts follow each other.
    try await withDevices([("Laptop", options), ("Desktop", otherOptions)], limit: .seconds(1800)) { devices in
        try await onDisk(size: size, devices[0]) { disk in
            try await devices[1].mount()
            return try await body(devices[0], disk, devices[1])
        }
    }
}

private func onDisk<Result>(
    size: String, _ device: Device, perform body: (DiskImage) async throws -> Result
) async throws -> Result {
    let disk = DiskImage(device: device)
    try await disk.attach(size: size)
    return try await onDiskOfItsOwn(device) { try await body(disk) }
}

/// Mounts a device whose store is a disk that was mounted there, and takes both away in all cases.
func onDiskOfItsOwn<Result>(_ device: Device, perform body: () async throws -> Result) async throws -> Result {
    func takeAway() async {
        await device.dismantle()
        _ = try? await runProgram("umount", ["-l", device.store.string])
    }
    do {
        try await device.mount()
        let result = try await body()
        await takeAway()
        return result
    } catch {
        await takeAway()
        throw error
    }
}

extension Trait where Self == ConditionTrait {
    /// Loop devices are root's.
    public static var needsDiskImages: Self { .enabled(if: DiskImage.isPossible, "loop devices take root") }
}
