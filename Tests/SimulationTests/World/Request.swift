import Documents
import Glibc
import ObjectStore

/// A request to the object store.
enum Operation: Sendable {
    case put(ObjectKey, [UInt8])
    /// The first half was read from the content when the request was made, the rest is read when it arrives.
    case putFile(ObjectKey, start: [UInt8], any ObjectContent, length: Int)
    case get(ObjectKey, limit: Int)
    case getRange(ObjectKey, Range<Int64>)
    case list(ObjectKey, after: ObjectKey?, limit: Int)
    case modified(ObjectKey)
    /// The time by the store's clock.
    case now
    case delete(ObjectKey)

    /// Tells objects as devices know them: how they are sealed is another one each time.
    func description(in form: ObjectForm) -> String {
        let object = form.object(at:)
        return switch self {
        case .put(let key, let bytes):
            "PUT \(object(key)) \(bytes.count) \(form.open(bytes, of: object(key)).map(TraceHash.of) ?? "unreadable")"
        case .putFile(let key, _, _, let length): "PUT \(object(key)) \(length)"
        case .get(let key, _): "GET \(object(key))"
        case .getRange(let key, let range): "GET \(object(key)) \(range)"
        case .list(let key, let after, _): "LIST \(key) \(after.map { object($0).description } ?? "")"
        case .modified(let key): "HEAD \(object(key))"
        case .now: "NOW"
        case .delete(let key): "DELETE \(object(key))"
        }
    }

    var isPut: Bool {
        switch self {
        case .put, .putFile: true
        default: false
        }
    }

    /// Whether it reads a content, which is verified, or a commit, which can only be cut off.
    var readsContent: Bool {
        if case .getRange = self { true } else { false }
    }

    var isGet: Bool {
        if case .get = self { true } else { readsContent }
    }
}

enum Answer: Sendable {
    case put(PutOutcome)
    case bytes([UInt8])
    case keys([ObjectKey])
    case time(Timestamp)
    case done

    /// Describes the request in the trace.
    var description: String {
        switch self {
        case .put(let outcome): "\(outcome)"
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .keys(let keys): "\(keys.count) keys"
        case .time(let time): "\(time.nanoseconds)"
        case .done: "done"
        }
    }
}

struct Request: Sendable {
    let number: Int
    /// The life of the device that sent it.
    let life: Int
    let device: Int
    let operation: Operation
    let continuation: CheckedContinuation<Result<Answer, ObjectStoreError>, Never>
}

/// FNV-1a.
struct TraceHash {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    static func of(_ bytes: [UInt8]) -> String {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(value, radix: 16)
    }
}
