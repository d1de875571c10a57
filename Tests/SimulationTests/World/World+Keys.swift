import Backing
import Ciphers
import Documents
@testable import Encryption
@testable import Library
import Replica
import Replication

/// The key of an encrypted container is changed, and people say the new passphrase on their other devices.
extension World {
    /// As `docfs key --rotate` or `docfs devices remove` does.
    func changeKey(on device: SimulatedDevice) throws {
        guard let keys = device.keys, !device.isLocked, let made = network.form.makeKey() else { return }
        let others = try device.members?.all.map(\.device).filter { $0 != device.library.store.device.id } ?? []
        let removed = random.once(in: 2) ? others.randomElement(using: &random) : nil
        trace("\(device.place.name) changes the key\(removed.map { ", and removes \($0)" } ?? "")")
        try keys.change { $0.offer(made.key, made.object, made.recoveryKey, removing: removed.map { [$0] } ?? []) }
        if removed != nil { ledger.count("removal") }
        // Not while another request is under way: then the next one takes it.
        _ = device.library.checkup.request(.newKey)
        ledger.count("newKey")
    }

    /// As `docfs key` does.
    func unlock(_ device: SimulatedDevice) throws {
        trace("\(device.place.name) is told the new passphrase")
        try device.keys?.change { network.form.unlock(&$0) }
        if device.isLocked { return ledger.fail("\(device.place.name): the new passphrase does not open the key") }
        if random.once(in: 2) { _ = device.library.checkup.request(.newKey) }
        ledger.count("unlocked")
    }

    private func haveOneKeyEach(_ some: Members?, _ others: Members?) -> Bool {
        some?.all.allSatisfy { member in others?[member.device].map { $0.key == member.key } ?? true } ?? false
    }

    /// All devices have the keys that the container has, and know each other by theirs.
    func checkKeys() throws -> [String] {
        guard let last = devices.last, let newcomer = last.keys?.kept else { return [] }
        let members = try last.members
        return try devices.compactMap { device in
            let known = try device.members
            guard known?[device.library.store.device.id]?.key == device.library.store.device.key.publicKey else {
                return "\(device.place.name) is not one of the devices that it knows"
            }
            // A repair may have lost the entry with which one joined: it joins again with its next one.
            guard isDamaged ? haveOneKeyEach(known, members) : known == members else {
                return "\(device.place.name) knows other devices than the newcomer"
            }
            guard let kept = device.keys?.kept, kept.ring == newcomer.ring, !kept.isUnpublished else {
                return "\(device.place.name) has other keys than the newcomer, or has not published them"
            }
            return nil
        }
    }
}

extension SimulatedDevice {
    /// Whether the log goes on under a key that was not said here.
    var isLocked: Bool { keys?.kept.isLocked == true }

    /// Whether the others know it by its key; of a plain container always.
    var hasJoined: Bool { get throws { try keys == nil || members?[library.store.device.id] != nil } }

    /// The devices of an encrypted container that it knows.
    var members: Members? { get throws { try library.store.read { try $0.logHead() }?.members } }
}
