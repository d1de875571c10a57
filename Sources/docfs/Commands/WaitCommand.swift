import ArgumentParser
import Glibc
import Library
import ObjectStore

struct WaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until everything that is pending is in the cloud.",
        discussion: """
            Returns when all changes made on this device have been sent: 0. Ends with 1 if the cloud refuses them, or when --timeout has passed. \
            Without a connection it says so and goes on waiting.

            Example: cp -r photos ~/docs/Documents/cloud/ && docfs wait ~/docs && poweroff
            """)

    @Argument(
        help: "The mountpoint, or any path below it. (default: the mount of the current folder, or the only one)",
        completion: .documents)
    var path: String?

    @Option(help: "Give up after this many seconds.")
    var timeout: Double?

    /// Seconds. More is as good as none, and more than times can hold.
    private static let longestTimeout = 1e9

    func validate() throws {
        if let timeout, !timeout.isFinite || timeout < 0 {
            throw ValidationError("--timeout must be 0 seconds or more")
        }
    }

    func run() throws {
        try CommandFailure.reported {
            try Self.wait(
                for: try MountedTree(holdingOrNearest: path),
                until: timeout.map { ContinuousClock.now + .seconds(min($0, Self.longestTimeout)) })
        }
    }

    /// - Throws: `CommandFailure` if the cloud refuses what is pending, or at the deadline.
    static func wait(for mount: MountedTree, until deadline: ContinuousClock.Instant? = nil) throws {
        let file = try OpenStateFile(ofFolder: mount.documents)
        var display = ProgressDisplay("sending")
        defer { display.clear() }
        var course = WaitCourse()
        // Since when all is sent, and the store does not say so.
        var sent: ContinuousClock.Instant?
        while true {
            let state = StateText(try file.text())
            let isThere = hasArrived(mount, state)
            let isSent = !isThere && state["cloud.connection"] == "online" && state["cloud.pending"] == "0"
            sent = isSent ? sent ?? .now : nil
            if let sent, .now - sent > Self.longestNote {
                throw CommandFailure(
                    "the documents are in the other cloud, and the store cannot note it; make room on its disk, and mount again"
                )
            }
            switch course.next(state, hasArrived: isThere) {
            case .done: return
            case .refused(let reason): throw CommandFailure(reason)
            case .waiting(let progress, let news):
                if let news { display.say(news) }
                display.title = course.title
                display.show(progress)
                // Where it arrives is no part of the state.
                let look = isThere ? nil : ContinuousClock.now + .milliseconds(200)
                let changed = try Polling.wait(
                    for: [Polling.Request(descriptor: file.descriptor, events: POLLPRI)],
                    until: [deadline, display.nextDraw, look].compactMap(\.self).min())
                if changed.isEmpty, let deadline, .now >= deadline { throw CommandFailure(course.timeoutReason) }
            }
        }
    }

    /// The daemon notes it at once.
    private static let longestNote = Duration.seconds(60)

    /// Whether the store belongs to the cloud that is mounted.
    private static func hasArrived(_ mount: MountedTree, _ state: StateText) -> Bool {
        // Of another user's store nothing is known.
        guard let store = mount.store, let url = state["cloud.url"], let remembered = try? StoreOptions(ofStore: store),
            remembered.cloud != nil, let isThere = try? remembered.belongs(to: CloudURL(url))
        else { return true }
        return isThere
    }
}

/// The course of `docfs wait`, decided by the states of the mount, one after the other.
struct WaitCourse {
    enum Decision: Equatable {
        case done
        case refused(String)
        /// - Parameter news: a line to print, once.
        case waiting(Progress, news: String?)
    }

    /// The most changes that were pending: the whole of the work.
    private var most = 0
    /// As `most`, in bytes of contents.
    private var mostBytes: Int64 = 0
    private var pending = 0
    private var connection = "online"
    private var saidOffline = false

    /// - Parameter hasArrived: false while documents are on their way to another cloud, of which nothing needs to be pending.
    mutating func next(_ state: StateText, hasArrived: Bool = true) -> Decision {
        pending = state["cloud.pending"].flatMap { Int($0) } ?? 0
        connection = state["cloud.connection"] ?? "offline"
        most = max(most, pending)
        // All documents are on their way to another cloud (`--move-to-this-cloud`), also those of which nothing else is pending.
        let isMoving = connection == Connection.moving.description
        if pending == 0, !isMoving, hasArrived { return .done }
        let progress = progress(state["cloud.unsent"].flatMap { Int64($0) })
        switch connection {
        case _ where isMoving:
            return .waiting(progress, news: nil)
        case "online":
            saidOffline = false
            return .waiting(progress, news: nil)
        case "offline":
            defer { saidOffline = true }
            let news = "docfs: the cloud cannot be reached; waiting for the connection, with \(waiting)"
            return .waiting(progress, news: saidOffline ? nil : news)
        case "unauthorized":
            return .refused(
                "the cloud refuses this device's credentials, with \(waiting); mount again with credentials that are valid"
            )
        default:
            return .refused("the cloud is not usable, with \(waiting): \(connection)")
        }
    }

    /// - Parameter bytes: of contents that are still to be sent; nil if nobody has added them up.
    private mutating func progress(_ bytes: Int64?) -> Progress {
        mostBytes = max(mostBytes, bytes ?? 0)
        guard let bytes, mostBytes > 0 else {
            return Progress(done: Int64(most - pending), total: Int64(most), unit: .documents)
        }
        return Progress(done: mostBytes - bytes, total: mostBytes, unit: .bytes)
    }

    var timeoutReason: String {
        let reason =
            switch connection {
            case "online": ""
            case Connection.moving.description: "; \(connection)"
            default: "; the cloud cannot be reached"
            }
        return "the time is up, with \(waiting)\(reason)"
    }

    private var waiting: String { "\(HumanText.count(pending, "change")) still to send" }

    /// For the bar.
    var title: String { "sending, \(HumanText.count(pending, "change")) left," }
}
