import Testing

@testable import ObjectStore

struct UploadProgressTests {
    @Test func `bytes that are sent again count once`() {
        let told = Recorder<Int64>()
        let progress = UploadProgress {
            told.add($0); return true
        }
        for end in [10, 20, 10, 20, 30] as [Int64] { #expect(progress.reach(end, ofSliceAt: 0)) }
        #expect(progress.reach(140, ofSliceAt: 100))
        #expect(told.values == [10, 10, 10, 40])
    }

    @Test func `who abandons a transfer is not asked again`() {
        let told = Recorder<Int64>()
        let progress = UploadProgress {
            told.add($0); return told.values.count < 2
        }
        #expect(progress.reach(10, ofSliceAt: 0))
        #expect(!progress.reach(20, ofSliceAt: 0))
        #expect(!progress.reach(30, ofSliceAt: 0))
        #expect(!progress.reach(10, ofSliceAt: 0))
        #expect(told.values == [10, 10])
    }
}

struct PartPlanTests {
    @Test(
        arguments: [
            (65 << 20, 16 << 20), (160_000 << 20, 16 << 20), (160_001 << 20, 17 << 20), (5 << 40, 525 << 20),
        ] as [(Int64, Int64)])
    func `parts are no shorter than needed, and no more than allowed`(length: Int64, part: Int64) {
        #expect(PartPlan().partLength(of: length) == part)
        #expect((length + part - 1) / part <= 10_000)
    }

    @Test func `slices follow each other and cover the document`() async throws {
        try await withFile([]) { file in
            let content = ContentSlice(
                content: try SourceFile(file), range: 0..<((40 << 20) + 5), key: .path("a"),
                progress: UploadProgress { _ in true })
            let ranges = PartPlan().slices(of: content).map(\.range)
            #expect(ranges.map(\.lowerBound) == [0, 16 << 20, 32 << 20])
            #expect(ranges.map(\.upperBound) == [16 << 20, 32 << 20, (40 << 20) + 5])
        }
    }

    @Test func `the parts are named in order, whatever their tags`() {
        #expect(
            PartPlan.completion(["\"a\"", "<&>"])
                == "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                + "<Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>"
                + "<Part><PartNumber>2</PartNumber><ETag>&lt;&amp;&gt;</ETag></Part></CompleteMultipartUpload>")
    }
}
