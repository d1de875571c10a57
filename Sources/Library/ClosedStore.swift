import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import Replication
import SystemPackage

/// `docfs check --store`: a store that no mount uses. Its catalog is looked at in a copy, so that nothing in the store changes. A repair
/// opens the store as a mount does, without the cloud, and leaves it closed cleanly.
public struct ClosedStore {
    private let configuration: LibraryConfiguration
    private let surroundings: Surroundings
    private let logger: Logger
    private let checkup: StoreCheckup

    /// - Throws: an error if there is no store, a docfs uses it, or its catalog cannot be read.
    public init(_ configuration: LibraryConfiguration, surroundings: Surroundings, logger: Logger) throws(StoreError) {
        self.configuration = configuration
        self.surroundings = surroundings
        self.logger = logger
        checkup = try StoreCheckup(path: configuration.storePath)
    }

    /// - Parameter progress: is told percents.
    public func check(repairs: Bool, progress: (Int) -> Void) throws -> StoreReport {
        var report = StoreReport()
        report.remaining = try findings(progress)
        guard repairs, !report.remaining.isEmpty else { return report }
        if report.remaining.contains(where: \.isCatalogDamage), checkup.hasCatalog {
            _ = try checkup.setCatalogAside(at: surroundings.now())
        }
        let found = report.remaining
        do { report = try repair() } catch let error as StoreError where error.isCatalogDamage && checkup.hasCatalog {
            // It lies in rows that the check does not read, and the repair does.
            _ = try checkup.setCatalogAside(at: surroundings.now())
            report = try repair()
        }
        report.mended = found.filter { !report.remaining.contains($0) }
        return report
    }

    private func findings(_ progress: (Int) -> Void) throws -> [StoreFinding] {
        if !checkup.hasCatalog { return [.catalogDamage("is gone")] }
        if !checkup.damage.isEmpty { return checkup.damage.map { .catalogDamage($0) } }
        let folder = try makeTemporaryFolder()
        defer { for name in Self.copiedFiles + [""] { remove("\(folder)/\(name)") } }
        try checkup.copyCatalog(to: folder)
        do {
            let copy = try Catalog(path: folder + "/catalog.sqlite")
            var audit = StoreAudit(copy, try BackingStore(path: checkup.path), .init())
            let result = Result { try audit.run(progress: progress) }
            try copy.abandon()
            try result.get()
            return audit.findings
        } catch CatalogError.damaged(let words) {
            return [.catalogDamage(words)]
        } catch is DecodingError { return [.catalogDamage("has a row that cannot be read")] }
    }

    private static let copiedFiles = ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"]

    private func makeTemporaryFolder() throws(StoreError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/docfs-check-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw StoreError("no folder can be made in \(parent): \(Errno(rawValue: errno)); set TMPDIR to another")
        }
        return String(cString: made)
    }

    /// Compares rows and files as after a crash: then a file that is gone takes nothing away from the cloud.
    private func repair() throws -> StoreReport {
        try CleanMark(BackingStore(path: checkup.path)).remove()
        let (library, _) = try Library.open(
            configuration, deviceName: nil, surroundings: surroundings, logger: logger, cloud: { _ in AbsentCloud() })
        let result = Result { try library.storeCheck.repair { _ in } }
        try library.close()
        return try result.get()
    }
}

extension StoreFinding {
    fileprivate static func catalogDamage(_ words: String) -> Self {
        StoreFinding(
            area: .catalog, place: catalogName, fact: words,
            remedy: "makes a new one from the documents' files, and keeps a damaged one under another name")
    }

    fileprivate var isCatalogDamage: Bool { area == .catalog && place == Self.catalogName }

    private static let catalogName = "catalog.sqlite"
}
