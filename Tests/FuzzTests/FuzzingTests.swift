// Only `scripts/fuzz` builds this: it needs libFuzzer, and instrumented code.
#if DOCFS_FUZZ
    import CFuzzer
    import Foundation
    import Testing

    /// Runs libFuzzer on one parser. The process ends with it: with 0 when the time is over, and with another status for an input that traps, takes
    /// too long or too much memory.
    struct FuzzingTests {
        @Test func fuzz() throws {
            let environment = ProcessInfo.processInfo.environment
            let name = try #require(environment["DOCFS_FUZZ_PARSER"])
            let arguments =
                ["docfs"] + (environment["DOCFS_FUZZ_ARGUMENTS"] ?? "").split(separator: "\n").map(String.init)
            Self.parser = try #require(FuzzedParser(rawValue: name))
            var pointers = arguments.map { strdup($0) } + [nil]
            pointers.withUnsafeMutableBufferPointer { buffer in
                var (count, start) = (Int32(arguments.count), buffer.baseAddress)
                _ = LLVMFuzzerRunDriver(&count, &start) { bytes, length in
                    FuzzingTests.parser.run(Array(UnsafeBufferPointer(start: bytes, count: length)))
                    return 0
                }
            }
        }

        /// Set once, before libFuzzer calls back on this thread.
        nonisolated(unsafe) private static var parser = FuzzedParser.query
    }
#endif
