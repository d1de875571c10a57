@testable import Encryption
@testable import Library

/// The key of an encrypted container is changed, and people say the new passphrase on their other devices.
extension World {
    /// As `docfs key --rotate` does.
    func changeKey(on device: SimulatedDevice) throws {
        guard let keys = device.keys, !device.isLocked, let made = network.form.makeKey() else { return }
        trace("\(device.place.name) changes the key")
        try keys.change { $0.offer(made.key, made.object, made.recoveryKey) }
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

    /// All devices have the keys that the container has.
    func checkKeys() -> [String] {
        guard let newcomer = devices.last?.keys?.kept else { return [] }
        return devices.compactMap { device in
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
}
