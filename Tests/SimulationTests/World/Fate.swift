import Documents
import ObjectStore
import SystemPackage
import TestSupport

/// The fate of a request and its answer.
enum Fate: CaseIterable {
    case arrives
    /// The request is lost.
    case lost
    /// The request is carried out, and the answer is lost.
    case replyLost
    /// The sender gives up, and the request arrives later.
    case late
    /// The store answers with a temporary error.
    case failed
    /// The store answers that it is full.
    case full
    /// The answer is cut off.
    case truncated
    /// One bit of the answer is wrong.
    case corrupted

    func canMeet(_ operation: Operation, in form: ObjectForm) -> Bool {
        switch self {
        case .arrives, .lost, .replyLost, .failed: true
        case .late, .full: operation.isPut
        case .truncated: operation.isGet
        // The transport detects damage in commits; contents are verified by SHA-256, and encrypted objects by themselves.
        case .corrupted: form.isEncrypted ? operation.isGet : operation.readsContent
        }
    }

    func apply(
        _ request: Request, _ network: SimulatedNetwork, _ random: inout SeededGenerator
    ) -> Result<Answer, ObjectStoreError> {
        let gone = ObjectStoreError.unreachable("no answer")
        switch self {
        case .arrives: return network.carryOut(request.operation)
        case .lost: return .failure(gone)
        case .replyLost:
            _ = network.carryOut(request.operation)
            return .failure(gone)
        case .late:
            network.delay(request.operation)
            return .failure(gone)
        case .failed: return .failure(.failed(ObjectKey("internal-error")!, .ioError))
        case .full: return .failure(.outOfSpace)
        case .truncated:
            return damaged(network.carryOut(request.operation)) {
                $0.removeLast(Int.random(in: 1...$0.count, using: &random))
            }
        case .corrupted:
            return damaged(network.carryOut(request.operation)) { bytes in
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
    }

    private func damaged(
        _ result: Result<Answer, ObjectStoreError>, _ damage: (inout [UInt8]) -> Void
    ) -> Result<Answer, ObjectStoreError> {
        guard case .success(.bytes(var bytes)) = result, !bytes.isEmpty else { return result }
        damage(&bytes)
        return .success(.bytes(bytes))
    }
}
