import Ciphers
import Encryption
import Glibc
import SystemPackage

/// What opens an encrypted container: its passphrase or its recovery key, as a person says it.
struct Passphrase: Sendable {
    private let secret: SecretBytes
    /// A copy that is not overwritten: let it go soon.
    var text: String {
        var bytes = secret.revealed
        defer { bytes.overwrite() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Of the environment.
    private static let variable = "DOCFS_PASSPHRASE"
    /// Bytes. A longer one is a file that was named by mistake.
    private static let longest = 4096

    /// - Throws: `CommandFailure` for a recovery key where a new passphrase is to be chosen.
    func requireNoRecoveryKey() throws(CommandFailure) {
        if RecoveryKey(text) != nil { throw CommandFailure("that is a recovery key; choose a passphrase of your own") }
    }

    /// What was said by an option or the environment; nil if nothing was.
    ///
    /// - Parameter file: its first line is the passphrase.
    static func told(file: String?, descriptor: Int32?) throws(CommandFailure) -> Passphrase? {
        var ofEnvironment = takeFromEnvironment()
        defer { ofEnvironment.overwrite() }
        if let descriptor {
            defer { close(descriptor) }
            return try firstLine(of: FileDescriptor(rawValue: descriptor), name: "the passphrase")
        }
        if let file {
            let descriptor: FileDescriptor
            do { descriptor = try FileDescriptor.open(file, .readOnly, options: .closeOnExec) } catch {
                throw CommandFailure("the passphrase cannot be read from \(file): \(error)")
            }
            defer { close(descriptor.rawValue) }
            return try firstLine(of: descriptor, name: file)
        }
        if ofEnvironment.isEmpty { return nil }
        guard !ofEnvironment.contains(10) else {
            throw CommandFailure("\(variable) is no passphrase: it has several lines")
        }
        return try Passphrase(ofEnvironment[...], name: variable)
    }

    /// Programs that this one starts need not know it, nor whoever looks at its environment.
    private static func takeFromEnvironment() -> [UInt8] {
        guard let text = getenv(variable) else { return [] }
        let length = strlen(text)
        let bytes = Array(UnsafeRawBufferPointer(start: text, count: length))
        explicit_bzero(text, length)
        unsetenv(variable)
        return bytes
    }

    /// - Parameter name: where it was said, for a person.
    private init(_ line: ArraySlice<UInt8>, name: String) throws(CommandFailure) {
        // Files of Windows end their lines so.
        let bytes = line.last == 13 ? line.dropLast() : line
        guard !bytes.isEmpty, bytes.count <= Self.longest, String(validating: bytes, as: UTF8.self) != nil else {
            throw CommandFailure("\(name) is no passphrase: it is empty, not UTF-8, or too long")
        }
        ProcessSecrecy.begin()
        secret = SecretBytes(bytes)
    }

    /// With room for all that is read: an array that grows leaves copies.
    private static var emptyLine: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(longest + 1024)
        return line
    }

    /// Blocks.
    ///
    /// - Parameter name: of the file, for a person.
    static func firstLine(of file: FileDescriptor, name: String) throws(CommandFailure) -> Passphrase {
        var bytes = emptyLine
        defer { bytes.overwrite() }
        while bytes.count <= longest, !bytes.contains(10) {
            var piece = [UInt8](repeating: 0, count: 1024)
            let count = read(file.rawValue, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure("the passphrase cannot be read from \(name): \(Errno(rawValue: errno))")
            }
            if count == 0 { break }
            bytes += piece.prefix(count)
            piece.overwrite()
        }
        return try Passphrase(bytes.prefix { $0 != 10 }, name: "the first line of \(name)")
    }

    // MARK: On a terminal

    /// Asks on the terminal, without showing what is typed.
    ///
    /// - Throws: `question` without a terminal, or `CommandFailure`.
    static func asked(_ question: MissingPassphrase) throws -> Passphrase {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { throw question }
        defer { close(terminal) }
        switch question {
        case .join:
            return try typed("Passphrase or recovery key of the container: ", terminal)
        case .new, .other:
            let passphrase = try typed(
                question == .new ? "A passphrase for the new container: " : "The new passphrase of the container: ",
                terminal)
            guard try typed("The same once more: ", terminal).text == passphrase.text else {
                throw CommandFailure("the two passphrases differ; nothing was done")
            }
            return passphrase
        }
    }

    private static func typed(_ prompt: String, _ terminal: Int32) throws(CommandFailure) -> Passphrase {
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { throw CommandFailure("the terminal cannot be read") }
        var silent = before
        // Without signals as well: a terminal that an interrupted docfs left silent would stay so.
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer {
            tcsetattr(terminal, TCSAFLUSH, &before)
            say("\n", terminal)
        }
        say(prompt, terminal)
        var bytes = emptyLine
        defer { bytes.overwrite() }
        while true {
            var byte: UInt8 = 0
            let count = read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            switch byte {
            case _ where count <= 0, 3,
                4 where bytes.isEmpty:
                throw CommandFailure("no passphrase was given; nothing was done")
            case 10, 13:
                return try Passphrase(bytes[...], name: "what was typed")
            case 8, 127:
                // A letter may have several bytes.
                while let last = bytes.popLast(), last & 0xc0 == 0x80 {}
            default: if bytes.count < longest { bytes.append(byte) }
            }
        }
    }

    private static func say(_ text: String, _ terminal: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
    }
}

/// A command that needs a passphrase and was not told one. On a terminal a person is asked.
enum MissingPassphrase: String, Error, CustomStringConvertible {
    case join =
        "the container is encrypted: say its passphrase or recovery key with --passphrase-file FILE or DOCFS_PASSPHRASE, or mount on a terminal"
    case new =
        "a new encrypted container needs a passphrase: say it with --passphrase-file FILE or DOCFS_PASSPHRASE, or mount on a terminal"

    case other =
        "say the new passphrase with --passphrase-file FILE or DOCFS_PASSPHRASE, or on a terminal"

    var description: String { rawValue }
}
