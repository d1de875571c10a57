import Foundation
@testable import Library
import Testing

/// The start.
extension SmallWorlds.LivingWorld {
    func prepare(_ start: Start, hasOther: Bool) async throws {
        let (laptop, phone) = (self.laptop.device, self.phone.device)
        tell("# the start: \(start)")
        for device in [laptop, phone] {
            let trash = try device.makeFolder(".Trash-0")
            try device.makeFolder("files", in: trash)
            tell("mkdir -p \(root(device))/cloud/.Trash-0/files")
        }
        try laptop.makeFolder("D")
        tell("mkdir $LAPTOP/cloud/D")
        if hasOther { try make("G.txt", on: laptop) }
        try await laptop.push()
        try await phone.pull()
        tell("docfs wait $LAPTOP")
        switch start {
        case .here:
            try make("F.txt", on: laptop)
            try await laptop.push()
            try await phone.pull()
            tell("docfs wait $LAPTOP")
        case .placeholder:
            try make("F.txt", on: phone)
            try await phone.push()
            try await laptop.pull()
            tell("docfs wait $PHONE")
        case .waiting:
            try make("F.txt", on: laptop)
        case .inConflict:
            try await makeConflict(current: phone)
        case .inConflictHere:
            try await makeConflict(current: laptop)
        }
        firstText = try await names(on: laptop)[.document]
        if start == .waiting { return }
        for device in [laptop, phone] { device.advance(seconds: 20) }
        tell("sleep 20")
    }

    /// - Parameter current: the device whose version is the later one.
    func makeConflict(current: TestDevice) async throws {
        let (laptop, phone) = (self.laptop.device, self.phone.device)
        let first = try make("F.txt", on: laptop)
        try await laptop.push()
        try await phone.pull()
        guard try await phone.text("F.txt") == first else { throw Fault("the start", "the phone has no F.txt") }
        try await phone.library.waitForContent(of: phone.inode("F.txt"))
        tell("docfs wait $LAPTOP; cat $PHONE/cloud/F.txt  # and both go offline")
        for device in [phone, laptop] {
            let text = newText(of: device)
            try await device.save("F.txt", text)
            written.insert(text)
            tell("echo '\(text)' > \(root(device))/cloud/F.txt")
            let now = Int(Date().timeIntervalSince1970)
            try device.setModified("F.txt", seconds: device === current ? now : now - 60)
        }
        spent.insert(first)
        try await phone.push()
        try await laptop.push()
        try await phone.pull()
        try await laptop.pull()
        tell("docfs wait $PHONE; docfs wait $LAPTOP")
    }

    @discardableResult
    func make(_ name: String, on device: TestDevice) throws -> String {
        let text = newText(of: device)
        try device.create(name, text)
        written.insert(text)
        tell("echo '\(text)' > \(root(device))/cloud/\(name)")
        return text
    }
}
