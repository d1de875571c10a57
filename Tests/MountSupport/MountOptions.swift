import Foundation
/// The names that `ls` shows.
public enum Listing: String, CaseIterable, Sendable {
    case filenames
    case displayNames = "display-names"
}

public enum FilenameConvention: String, CaseIterable, Sendable {
    case timestamp, uuid, sequential
}

/// The options of `docfs mount` that tests vary; nil leaves the default of docfs.
public struct MountOptions: Sendable {
    public var listing: Listing?
    public var convention: FilenameConvention?
    public var filenamePrefix: String?
    public var timeoutSeconds: Int?
    /// Instead of the directory that the devices share.
    public var cloudURL: String?
    public var allowsOthers: Bool
    public var logLevel: String?
    public var cacheLimit: String?
    public var environment: [String: String]
    /// Whether the desktop is told of troubles; else the desktop of who runs the tests would be.
    public var notifies = false
    /// Whether the container is encrypted. All tests that say nothing else are run so with `DOCFS_TEST_ENCRYPTED=1`.
    public var encrypts = ProcessInfo.processInfo.environment["DOCFS_TEST_ENCRYPTED"] == "1"

    public init(
        listing: Listing? = nil, convention: FilenameConvention? = nil, filenamePrefix: String? = nil,
        timeoutSeconds: Int? = nil, cloudURL: String? = nil, allowsOthers: Bool = false, logLevel: String? = nil,
        cacheLimit: String? = nil, environment: [String: String] = [:]
    ) {
        self.listing = listing
        self.convention = convention
        self.filenamePrefix = filenamePrefix
        self.timeoutSeconds = timeoutSeconds
        self.cloudURL = cloudURL
        self.allowsOthers = allowsOthers
        self.logLevel = logLevel
        self.cacheLimit = cacheLimit
        self.environment = environment
    }

    public var arguments: [String] {
        var arguments = notifies ? [] : ["--no-notifications"]
        if let listing { arguments += ["--show", listing.rawValue] }
        if let convention { arguments += ["--filenames", convention.rawValue] }
        if let filenamePrefix { arguments += ["--filename-prefix", filenamePrefix] }
        if let timeoutSeconds { arguments += ["--timeout", String(timeoutSeconds)] }
        if let logLevel { arguments += ["--log-level", logLevel] }
        if let cacheLimit { arguments += ["--cache-limit", cacheLimit] }
        if allowsOthers { arguments.append("--allow-other") }
        if encrypts { arguments.append("--encrypt") }
        return arguments
    }

    /// The environment of `docfs mount`.
    var variables: [String: String] {
        encrypts ? environment.merging(["DOCFS_PASSPHRASE": Self.passphrase]) { told, _ in told } : environment
    }

    /// Of encrypted containers.
    public static let passphrase = "correct horse battery staple"

    public static var allowingOthers: MountOptions { MountOptions(allowsOthers: true) }
    public static var encrypted: MountOptions { MountOptions().encrypting(true) }
    public static var plain: MountOptions { MountOptions().plain }

    /// For tests that look into the container, or count what docfs prints.
    public var plain: MountOptions { encrypting(false) }

    /// For proofs, which go over plain and over encrypted containers.
    public func encrypting(_ encrypts: Bool) -> MountOptions {
        var options = self
        options.encrypts = encrypts
        return options
    }

    public static var displayNames: MountOptions { MountOptions(listing: .displayNames) }
}
