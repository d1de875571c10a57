import CFuse
import Dispatch
import Glibc
import Library
import Logging
import Synchronization
import SystemPackage

/// Why a mount could not be made, in one line for a person.
public struct MountError: Error, CustomStringConvertible, Sendable {
    /// One line for a person.
    public let description: String

    /// - Parameter description: one line for a person.
    public init(_ description: String) { self.description = description }
}

/// One mount: owns libfuse's session and the file system behind it.
///
/// `@unchecked`: the session pointer is made in `init` and destroyed in `deinit`; in between libfuse
/// lets its functions be called from any thread.
public final class MountSession: @unchecked Sendable {
    private let session: OpaquePointer
    private let filesystem: Filesystem
    private let caches: KernelCaches
    private let remoteEvents: RemoteEvents
    private let nameExpiry = NameExpiry()
    private let mountpoint: String
    private let loopThread = Mutex<pthread_t?>(nil)
    private let loopEnded = DispatchSemaphore(value: 0)
    /// A call of ours on the mount may wait for a content that is not here.
    private static let drainPatience = DispatchTimeInterval.seconds(2)
    /// Between two signals to the loop's thread.
    private static let signalPause = DispatchTimeInterval.milliseconds(20)

    /// Mounts `library` at `mountpoint`. Requests wait until `run` answers them.
    ///
    /// - Parameter allowsOthers: whether users other than the mounting one may use the mount (`allow_other`).
    /// - Throws: `MountError` if libfuse refuses the options, or the mountpoint cannot be mounted on.
    public init(library: Library, mountpoint: String, allowsOthers: Bool) throws(MountError) {
        let statePolls = StatePolls()
        let filesystem = Filesystem(library: library, statePolls: statePolls)
        var options = "fsname=docfs,subtype=docfs"
        if allowsOthers { options += ",allow_other" }
        // Root alone may do anything: to check it, the kernel would ask for a folder's attributes anew with each
        // file that is made or removed there.
        if allowsOthers || geteuid() != 0 { options += ",default_permissions" }
        session = try Self.makeSession(options, filesystem)
        self.filesystem = filesystem
        self.mountpoint = mountpoint
        guard fuse_session_mount(session, mountpoint) == 0 else {
            fuse_session_destroy(session)
            throw MountError("cannot mount at \(mountpoint): \(Errno(rawValue: errno))")
        }
        guard filesystem.stream.attach(to: session) else {
            // A mount that nobody serves would block all who look at it.
            fuse_session_unmount(session)
            fuse_session_destroy(session)
            throw MountError("cannot serve \(mountpoint): libfuse refused the session's own stream")
        }
        remoteEvents = RemoteEvents(
            performer: ReenactingThread(on: filesystem.stage, mountpoint: mountpoint), logger: library.logger)
        caches = KernelCaches(
            kernel: FuseSession(pointer: session, nameExpiry: nameExpiry), folderStreams: filesystem.folderStreams,
            statePolls: statePolls
        ) { [remoteEvents] in remoteEvents.show($0, expire: $1) }
        filesystem.caches = caches
        library.observer = caches
    }

    deinit { fuse_session_destroy(session) }

    private static func makeSession(_ options: String, _ filesystem: Filesystem) throws(MountError) -> OpaquePointer {
        var operations = Filesystem.operations()
        var words = (["docfs", "-o", options] as [String]).map { strdup($0) }
        defer { words.forEach { free($0) } }
        let session = words.withUnsafeMutableBufferPointer { words in
            var arguments = fuse_args(argc: Int32(words.count), argv: words.baseAddress, allocated: 0)
            defer { fuse_opt_free_args(&arguments) }
            return fuse_session_new(
                &arguments, &operations, MemoryLayout<fuse_lowlevel_ops>.size,
                Unmanaged.passUnretained(filesystem).toOpaque())
        }
        guard let session else { throw MountError("libfuse refused the mount options \(options)") }
        return session
    }

    /// Answers requests until the file system is unmounted or `stop` is called, then unmounts. Blocks the calling thread. To be called
    /// once.
    ///
    /// - Throws: `MountError` if libfuse's loop failed while the file system was still mounted.
    public func run() throws(MountError) {
        Self.allowInterruption()
        loopThread.withLock { $0 = pthread_self() }
        let configuration = fuse_loop_cfg_create()
        defer { fuse_loop_cfg_destroy(configuration) }
        fuse_loop_cfg_set_clone_fd(configuration, 1)
        fuse_loop_cfg_set_idle_threads(configuration, 4)
        fuse_loop_cfg_set_max_threads(configuration, UInt32(SessionStream.threads))
        if !nameExpiry.start(cloning: fuse_session_fd(session)) {
            filesystem.library.logger.notice(
                "a kill may leave a mount that only `umount -f` ends: the kernel allows no second descriptor of the device"
            )
        }
        remoteEvents.start()
        let result = docfs_session_loop_mt(session, configuration)
        loopThread.withLock { $0 = nil }
        loopEnded.signal()
        filesystem.library.observer = nil
        remoteEvents.end()
        fuse_session_unmount(session)
        // A call of ours on the mount ends when its device is closed everywhere: the thread that expires names has it open as well.
        nameExpiry.end()
        remoteEvents.drain()
        caches.drain()
        if result != 0, result != -ENODEV, fuse_session_exited(session) == 0 {
            throw MountError("the mount at \(mountpoint) failed: \(Errno(rawValue: abs(result)))")
        }
    }

    /// Ends `run` from another thread, and waits until its loop has ended.
    public func stop() {
        // The loop answers the call that is under way. Nobody would after it: the call would wait for the end of the mount, and the mount for
        // whoever expires a name in the folder that the call holds.
        remoteEvents.end()
        remoteEvents.drain(within: Self.drainPatience)
        // `fuse_session_exit` only sets a flag, which the loop sees when a signal ends its wait. A signal that comes just before
        // that wait is lost, so it is sent again until the loop ends. No request can be counted on to end the wait: the mount may be gone
        // from this namespace, and held by another one.
        fuse_session_exit(session)
        repeat {
            loopThread.withLock { thread in
                if let thread { pthread_kill(thread, SIGUSR1) }
            }
        } while isRunning && loopEnded.wait(timeout: .now() + Self.signalPause) == .timedOut
    }

    private var isRunning: Bool { loopThread.withLock { $0 != nil } }

    /// A handler that does nothing, set without SA_RESTART: the signal interrupts and no more.
    private static func allowInterruption() {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(SIGUSR1, &action, nil)
    }
}
