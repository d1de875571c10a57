/// Whether the program behind a system call looks through all files by itself: a thumbnailer, or a crawler that makes an index.
///
/// Such a program reads what no person asked for, so that opening a folder of photographs, or a night of indexing, would download a whole
/// cloud. It has no way to be told: GIO takes for remote what is mounted as nfs, cifs, smb or fuse.sshfs, and Plasma asks for no more.
/// So an open by one of these programs does not download (``Refusal/notForCrawlers``). Programs are told by the first words of
/// /proc/TID/cmdline; one that cannot be read is a person's. It costs nothing for content that is here.
enum CallingProgram {
    /// - Parameter thread: the one that asks; 0 if the kernel did not name it.
    static func isCrawler(ofThread thread: Int32) -> Bool {
        guard let bytes = ThreadFile.read("cmdline", ofThread: thread, limit: 4096) else { return false }
        let words = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        return isCrawler(words.prefix(2).map { String(decoding: $0, as: UTF8.self) })
    }

    /// - Parameter command: the program and its first argument.
    static func isCrawler(_ command: [String]) -> Bool {
        let names = command.map { $0.split(separator: "/").last.map(String.init) ?? "" }
        guard let program = names.first else { return false }
        if program.hasSuffix("thumbnailer") || crawlers.contains(program) { return true }
        guard hosts.contains(where: program.hasPrefix), names.count > 1 else { return false }
        return names[1].hasSuffix("thumbnailer") || names[1] == "thumbnail.so"
    }

    /// Of GNOME, Xfce and Plasma, beside what is called `…thumbnailer`.
    private static let crawlers: Set = [
        "baloo_file_extractor", "gnome-thumbnail-font", "localsearch-extractor-3", "tracker-extract",
        "tracker-extract-3", "tumblerd",
    ]

    /// Programs that run what their first argument names: thumbnailers in Python, and Plasma's workers.
    private static let hosts = ["python3", "kioslave5", "kioworker"]
}
