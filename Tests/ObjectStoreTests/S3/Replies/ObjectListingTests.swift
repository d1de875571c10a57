import Testing

@testable import ObjectStore

struct ObjectListingTests {
    private func listing(_ content: String) -> ObjectListing? {
        XMLElement.document(Array("<ListBucketResult>\(content)</ListBucketResult>".utf8)).flatMap(ObjectListing.init)
    }

    @Test func `keys are decoded where the server says that they are encoded`() {
        let key = "<Contents><Key>a%2Fb+c%2B%0A</Key></Contents>"
        #expect(listing("<EncodingType>url</EncodingType>" + key)?.keys == ["a/b c+\n"])
        #expect(listing(key)?.keys == ["a%2Fb+c%2B%0A"])
    }

    @Test func `a truncated page says where to go on`() {
        #expect(
            listing("<IsTruncated>true</IsTruncated><NextContinuationToken>x=</NextContinuationToken>")?.continuation
                == "x=")
        #expect(
            listing("<IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken>")?.continuation
                == nil)
        #expect(listing("")?.keys == [])
    }

    @Test func `a document that is not a listing is refused`() {
        #expect(listing("<IsTruncated>true</IsTruncated>") == nil)
        #expect(listing("<Contents><Size>1</Size></Contents>") == nil)
        #expect(listing("<EncodingType>url</EncodingType><Contents><Key>%zz</Key></Contents>") == nil)
        #expect(XMLElement.document(Array("<Error/>".utf8)).flatMap(ObjectListing.init) == nil)
    }
}
