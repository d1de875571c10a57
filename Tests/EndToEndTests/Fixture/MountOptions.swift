/// What `ls` shows.
enum Listing: String, CaseIterable, Sendable {
    case filenames
    case displayNames = "display-names"
}

enum FilenameConvention: String, CaseIterable, Sendable {
    case timestamp, uuid, sequential
}

/// The options of `docfs mount` that tests vary; nil leaves the default of docfs.
struct MountOptions: Sendable {
    var listing: Listing?
    var convention: FilenameConvention?
    var filenamePrefix: String?
    var timeoutSeconds: Int?
    /// Instead of the directory that the devices share.
    var cloudURL: String?
    var allowsOthers = false
    var logLevel: String?
    var environment: [String: String] = [:]

    var arguments: [String] {
        var arguments: [String] = []
        if let listing { arguments += ["--show", listing.rawValue] }
        if let convention { arguments += ["--filenames", convention.rawValue] }
        if let filenamePrefix { arguments += ["--filename-prefix", filenamePrefix] }
        if let timeoutSeconds { arguments += ["--timeout", String(timeoutSeconds)] }
        if let logLevel { arguments += ["--log-level", logLevel] }
        if allowsOthers { arguments.append("--allow-other") }
        return arguments
    }

    static var allowingOthers: MountOptions { MountOptions(allowsOthers: true) }
    static var displayNames: MountOptions { MountOptions(listing: .displayNames) }
}
