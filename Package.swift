// swift-tools-version: 6.2

import PackageDescription

/// Whether `scripts/fuzz` builds: then libFuzzer sees which code is reached.
let isFuzzing = Context.environment["DOCFS_FUZZ"] != nil

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ] + (isFuzzing ? [.define("DOCFS_FUZZ"), .unsafeFlags(["-Xfrontend", "-sanitize=fuzzer"])] : [])

/// The layers, top to bottom; each depends only on those below it (the page Architecture).
let package = Package(
    name: "docfs",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2"),
    ],
    targets: [
        .executableTarget(
            name: "docfs",
            dependencies: [
                "Archives", "Browse", "CLinux", "Filesystem", "CloudSynchronization", "Library", "Backing",
                "LinuxFiles",
                "Encryption", "Ciphers", "ObjectStore",
                "Documents",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict,
            // Debug information is left out; the names of functions stay, for the backtrace of a crash.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"], .when(configuration: .release))]),
        // The documents as a table in a browser. What it asks of a mount is a protocol: it reaches no file by itself.
        .target(
            name: "Browse",
            dependencies: [
                "Archives", "LinuxFiles",
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            resources: [
                .embedInCode("Page/icon.svg"), .embedInCode("Page/index.html"), .embedInCode("Page/moving.js"),
                .embedInCode("Page/naming.js"), .embedInCode("Page/page.js"),
                .embedInCode("Page/adding.js"), .embedInCode("Page/details.js"), .embedInCode("Page/dialog.js"),
                .embedInCode("Page/document.js"),
                .embedInCode("Page/history.js"), .embedInCode("Page/look.js"), .embedInCode("Page/preferred.js"),
                .embedInCode("Page/dom.js"), .embedInCode("Page/dragging.js"),
                .embedInCode("Page/filter.js"), .embedInCode("Page/status.js"), .embedInCode("Page/style.css"),
                .embedInCode("Page/texts.js"),
            ],
            swiftSettings: strict),
        .target(
            name: "Filesystem",
            dependencies: [
                "CFuse", "CLinux", "Library", "Backing", "Documents",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "CloudSynchronization",
            dependencies: [
                "CLinux", "Library", "Backing", "Replica", "Replication", "Catalog", "Ciphers", "Encryption",
                "ObjectStore", "Documents", "LinuxFiles",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "Library",
            dependencies: [
                "CLinux", "Backing", "Replica", "Replication", "Catalog", "Documents", "LinuxFiles", "CrashPoints",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(name: "Replica", dependencies: ["Replication", "Catalog", "Documents"], swiftSettings: strict),
        .target(
            name: "Backing",
            dependencies: [
                "CLinux", "Catalog", "Ciphers", "Documents", "Hashing", "LinuxFiles", "CrashPoints",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "Replication",
            dependencies: [
                "ObjectStore", "Documents", "LinuxFiles", "Ciphers", "Hashing", "CrashPoints",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "Catalog",
            dependencies: [
                "Documents", "CrashPoints", "CSQLite",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "ObjectStore",
            dependencies: [
                "CLinux", "Documents", "LinuxFiles", "HTTP", "Hashing",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // An object store whose keeper cannot read it (the page Secrecy).
        .target(
            name: "Encryption",
            dependencies: [
                "Ciphers", "Hashing", "ObjectStore", "Documents", "LinuxFiles",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(name: "Documents", swiftSettings: strict),
        // Where tests kill docfs.
        .target(name: "CrashPoints", swiftSettings: strict),
        // Linux's calls on files and folders, and the threads that wait for them.
        .target(
            name: "LinuxFiles",
            dependencies: ["CLinux", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: strict),
        // The code that uses libcurl and libcrypto, each with the headers it is written over.
        .target(
            name: "HTTP", dependencies: ["CCurl", "CCrypto"], path: "Sources/SystemLibraries/HTTP",
            swiftSettings: strict),
        .target(
            name: "Hashing", dependencies: ["CCrypto"], path: "Sources/SystemLibraries/Hashing", swiftSettings: strict),
        .target(
            name: "Ciphers", dependencies: ["CCrypto"], path: "Sources/SystemLibraries/Ciphers", swiftSettings: strict),
        // Zip archives, over zlib.
        .target(
            name: "Archives", dependencies: ["CZlib"], path: "Sources/SystemLibraries/Archives", swiftSettings: strict),
        .systemLibrary(
            name: "CZlib", path: "Sources/SystemLibraries/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/SystemLibraries/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CCrypto", path: "Sources/SystemLibraries/CCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/SystemLibraries/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        // Headers only: what Swift's Glibc module leaves out.
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(
            name: "CFuse", path: "CFuse", pkgConfig: "fuse3",
            providers: [.apt(["libfuse3-dev"])]),
        // Used by several test targets.
        .target(
            name: "TestSupport",
            dependencies: ["Replication", "Encryption", "Ciphers", "ObjectStore", "Documents"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "EncryptionTests",
            dependencies: [
                "Encryption", "Ciphers", "Hashing", "ObjectStore", "Documents", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Vectors/make.py"], resources: [.copy("Vectors/objects.json")], swiftSettings: strict),
        // Devices with real mounts, for the test targets that name `docfs`, so that it is built before them.
        .target(
            name: "MountSupport",
            dependencies: [
                "TestSupport",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/MountSupport", swiftSettings: strict),
        .testTarget(name: "BrowseTests", dependencies: ["Browse", "Archives", "TestSupport"], swiftSettings: strict),
        // How the command presents things, and its language for queries.
        .testTarget(
            name: "DocfsTests", dependencies: ["docfs", "Encryption", "ObjectStore", "TestSupport"],
            swiftSettings: strict),
        // The articles beside the code name only what there is.
        .testTarget(name: "PageTests", swiftSettings: strict),
        .testTarget(name: "DocumentsTests", dependencies: ["Documents", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "CatalogTests",
            dependencies: ["Catalog", "Documents", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict),
        .testTarget(
            name: "ObjectStoreTests",
            dependencies: [
                "CLinux", "ObjectStore", "Documents", "HTTP", "Hashing", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Fixture/encrypting-proxy.py"], swiftSettings: strict),
        .testTarget(
            name: "ReplicationTests",
            dependencies: [
                "Replica", "Replication", "Catalog", "Ciphers", "ObjectStore", "Documents", "Hashing", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "CloudSynchronization", "Library", "Backing", "Replica", "Replication", "Catalog", "Encryption",
                "Ciphers",
                "ObjectStore", "Documents", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CloudSynchronizationTests",
            dependencies: [
                "CloudSynchronization", "Backing", "Replication", "Catalog", "Documents", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FilesystemTests",
            dependencies: [
                "Filesystem", "Library", "Backing", "Catalog", "Documents", "CFuse", "CLinux", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // Whole devices in a world of which nothing but a seed decides.
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "CloudSynchronization", "Library", "Backing", "Replica", "Replication", "Catalog", "ObjectStore",
                "Encryption", "Ciphers", "Documents", "LinuxFiles", "Hashing", "CLinux", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // One suite over the library in process and over a real mount.
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "docfs", "CloudSynchronization", "Library", "Backing", "Catalog", "ObjectStore", "Documents",
                "MountSupport", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // Black-box: knows the command and the mount, and nothing of the code. `docfs` is named so that
        // it is built before them.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "docfs", "MountSupport", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: [
                "Fixture/browse-document.py", "Fixture/browse-large.py", "Fixture/browse-page.py", "Fixture/browser.py",
            ],
            swiftSettings: strict),
        // Attacks that prove what the pages claim; the amount of each is read from the environment.
        .testTarget(
            name: "ProofTests",
            dependencies: [
                "docfs", "MountSupport", "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Kills/attack.c"], swiftSettings: strict),
        // Parsers of what others wrote, with their seeds; with libFuzzer where `scripts/fuzz` builds them.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "docfs", "Browse", "Encryption", "Ciphers", "Replication", "ObjectStore", "Documents", "TestSupport",
            ] + (isFuzzing ? ["CFuzzer"] : []),
            resources: [.copy("Seeds")], swiftSettings: strict),
        .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
    ],
    swiftLanguageModes: [.v6]
)

// Other tests are not needed, and take long to build.
if isFuzzing { package.targets.removeAll { $0.type == .test && $0.name != "FuzzTests" } }
