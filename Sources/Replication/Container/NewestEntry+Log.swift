import Documents

extension NewestEntry {
    public init(_ entry: LogEntry, at position: LogPosition) {
        self.init(
            number: position.number, time: entry.commit.time, deviceName: entry.commit.deviceName,
            code: LogCode(of: entry.link.container, at: position, entry.hash).description)
    }
}
