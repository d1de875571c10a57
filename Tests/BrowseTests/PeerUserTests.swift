import Testing

@testable import Browse

struct PeerUserTests {
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1267 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1
           1: 0100007F:1267 0100007F:A001 01 00000000:00000000 00:00000000 00000000  1000        0 2 1
           2: 0100007F:A001 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1007        0 3 1
           3: 0100007F:A002 0100007F:1267 06 00000000:00000000 00:00000000 00000000     0        0 0 1
           4: 0100007F:A003 0100007F:1267 05 00000000:00000000 00:00000000 00000000     0        0 0 1
           5: 0100007F:A004 0100007F:1267 01 00000000:00000000 00:00000000 00000000     0        0 0 1
           6: 0200007F:A005 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1007        0 4 1
        """

    private func user(_ name: String, serverPort: UInt16 = 0x1267) -> UInt32? {
        PeerUser.user(in: Self.table, name: name, serverPort: serverPort)
    }

    @Test func `the user is that of the socket at the other end`() {
        #expect(user("0100007F:A001") == 1007)
        #expect(user("0200007F:A005") == 1007)
    }

    /// The table has 0 for the user of such a socket, which is root's number.
    @Test(arguments: ["0100007F:A002", "0100007F:A003", "0100007F:A004"])
    func `a socket that nobody holds any more is nobody's`(name: String) { #expect(user(name) == nil) }

    @Test func `a socket at another address, for another server, or that is not there is not the one`() {
        #expect(user("0100007F:A005") == nil)
        #expect(user("0100007F:A001", serverPort: 0x1268) == nil)
        #expect(user("0100007F:A009") == nil)
        #expect(PeerUser.user(in: "", name: "0100007F:A001", serverPort: 0x1267) == nil)
    }

    @Test func `an address is named as the kernel's tables do`() {
        #expect(
            PeerName(v4: [127, 0, 0, 1], port: 0xA1).names.map(\.name) == [
                "0100007F:00A1", "0000000000000000FFFF00000100007F:00A1",
            ])
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        #expect(PeerName(v6: loopback, port: 4711).names.map(\.name) == ["00000000000000000000000001000000:1267"])
    }
}
