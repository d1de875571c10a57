import Foundation
import Testing

/// What `scripts/fuzz` begins with, and each input that it found something with.
struct SeedTests {
    @Test(arguments: FuzzedParser.allCases)
    func `each parser bears its seeds`(_ parser: FuzzedParser) throws {
        let folder = try #require(Bundle.module.url(forResource: "Seeds", withExtension: nil))
            .appending(path: parser.rawValue)
        let seeds = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!seeds.isEmpty)
        for seed in seeds { parser.run(Array(try Data(contentsOf: seed))) }
    }
}
