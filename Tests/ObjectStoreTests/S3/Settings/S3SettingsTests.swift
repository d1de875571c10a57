import HTTP
import Testing

@testable import ObjectStore

struct S3SettingsTests {
    private func settings(
        _ environment: [String: String], of location: S3Location = S3Location(bucket: "photos"),
        files: [String: String] = [:]
    ) throws -> S3Settings {
        try S3Settings(location, environment: environment) { path throws(S3SettingsError) in files[path] }
    }

    private let keys = ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "SECRET"]

    @Test func `credentials come from the process that a profile names`() throws {
        let files = ["/home/anna/.aws/config": "[default]\ncredential_process = /opt/key --for docfs\n"]
        func settings(printing output: String) throws -> S3Settings {
            try S3Settings(
                S3Location(bucket: "photos"), environment: ["HOME": "/home/anna"],
                contents: { path throws(S3SettingsError) in files[path] },
                run: { command throws(S3SettingsError) in command == "/opt/key --for docfs" ? output : "" })
        }
        let found = try settings(
            printing: #"{"Version": 1, "AccessKeyId": "ID", "SecretAccessKey": "SECRET", "SessionToken": "TOKEN"}"#)
        #expect(found.credentials == S3Credentials(accessKeyID: "ID", secretAccessKey: "SECRET", sessionToken: "TOKEN"))
        let error = try #require(throws: S3SettingsError.self) { try settings(printing: "no JSON SECRET") }
        #expect(!error.description.contains("SECRET"))
    }

    @Test func `a proxy comes from the environment, by the endpoint`() throws {
        let proxies = ["HTTPS_PROXY": "http://proxy:3128", "http_proxy": "http://other:80", "NO_PROXY": "nas,.local"]
        let secure = try settings(keys.merging(proxies) { $1 })
        #expect(secure.proxy == HTTPProxy(address: "http://proxy:3128", exceptions: "nas,.local"))
        let plain = S3Location(bucket: "photos", endpoint: S3Endpoint("http://nas:9000"))
        #expect(
            try settings(keys.merging(proxies) { $1 }, of: plain).proxy
                == HTTPProxy(address: "http://other:80", exceptions: "nas,.local"))
        #expect(try settings(keys).proxy == nil)
    }

    @Test func `credentials come from the environment`() throws {
        let found = try settings(keys.merging(["AWS_SESSION_TOKEN": "TOKEN"]) { $1 })
        #expect(found.credentials == S3Credentials(accessKeyID: "ID", secretAccessKey: "SECRET", sessionToken: "TOKEN"))
        #expect(found.region == "us-east-1")
        #expect(found.endpoint == nil)
    }

    @Test func `else from the profile's files, of which the credentials come first`() throws {
        let files = [
            "/home/me/.aws/credentials":
                "[default]\naws_access_key_id = A\naws_secret_access_key = B\n[work]\naws_access_key_id=C\naws_secret_access_key=D==\naws_session_token=E",
            "/home/me/.aws/config":
                "[default]\nregion=eu-west-1\n[profile work]\nregion = eu-north-1\nendpoint_url = http://host:1\naws_access_key_id=X",
        ]
        let byDefault = try settings(["HOME": "/home/me"], files: files)
        #expect(byDefault.credentials == S3Credentials(accessKeyID: "A", secretAccessKey: "B"))
        #expect(byDefault.region == "eu-west-1")
        let work = try settings(["HOME": "/home/me", "AWS_PROFILE": "work"], files: files)
        #expect(work.credentials == S3Credentials(accessKeyID: "C", secretAccessKey: "D==", sessionToken: "E"))
        #expect(work.region == "eu-north-1")
        #expect(work.endpoint?.description == "http://host:1")
    }

    @Test func `the files may lie elsewhere`() throws {
        let found = try settings(
            ["AWS_SHARED_CREDENTIALS_FILE": "/c", "AWS_CONFIG_FILE": "/f", "HOME": "/home/me"],
            files: ["/c": "[default]\naws_access_key_id=A\naws_secret_access_key=B", "/f": "[default]\nregion=r-1"])
        #expect(found.credentials.accessKeyID == "A")
        #expect(found.region == "r-1")
    }

    @Test func `the URL comes before the environment, that of S3 before the general one`() throws {
        let location = S3Location(bucket: "photos", endpoint: S3Endpoint("http://url"), region: "url-1")
        let environment = keys.merging([
            "AWS_REGION": "env-1", "AWS_DEFAULT_REGION": "env-2", "AWS_ENDPOINT_URL_S3": "http://s3",
            "AWS_ENDPOINT_URL": "http://all",
        ]) { $1 }
        #expect(try settings(environment, of: location).region == "url-1")
        #expect(try settings(environment, of: location).endpoint?.host == "url")
        #expect(try settings(environment).region == "env-1")
        #expect(try settings(environment).endpoint?.host == "s3")
        let general = environment.filter { $0.key != "AWS_REGION" && $0.key != "AWS_ENDPOINT_URL_S3" }
        #expect(try settings(general).region == "env-2")
        #expect(try settings(general).endpoint?.host == "all")
    }

    @Test(
        arguments: [
            ([:], "no S3 credentials"), ([:], "is named by ?endpoint=URL"),
            (["AWS_ACCESS_KEY_ID": "ID"], "must be set both"),
            (["AWS_SECRET_ACCESS_KEY": "HIDDEN", "HOME": "/home/me"], "must be set both"),
            (["AWS_PROFILE": "absent", "HOME": "/home/me"], "no AWS profile 'absent'"),
            (["AWS_PROFILE": "sso", "HOME": "/home/me"], "uses sso_session"),
            (
                ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "HIDDEN", "AWS_ENDPOINT_URL": "host"],
                "endpoint 'host'"
            ),
            (["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "HIDDEN", "AWS_REGION": "a b"], "region 'a b'"),
        ] as [([String: String], String)])
    func `a missing setting is named in one line without secrets`(environment: [String: String], words: String) {
        let error = #expect(throws: S3SettingsError.self) {
            try settings(environment, files: ["/home/me/.aws/config": "[profile sso]\nsso_session = work"])
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("HIDDEN") == false)
        #expect(error?.description.contains("\n") == false)
    }

    @Test func `an empty variable counts as none`() throws {
        let found = try settings(keys.merging(["AWS_PROFILE": "", "AWS_REGION": "", "AWS_SESSION_TOKEN": ""]) { $1 })
        #expect(found.credentials.sessionToken == nil)
        #expect(found.region == "us-east-1")
    }

    @Test func `credentials do not print their secrets`() {
        let credentials = S3Credentials(accessKeyID: "ID", secretAccessKey: "HIDDEN", sessionToken: "HIDDEN")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] { #expect(!text.contains("HIDDEN")) }
    }
}

struct ProfileFileTests {
    @Test func `sections hold settings, with comments and space left out`() {
        let file = ProfileFile(
            "# a comment\norphan = 1\n[ default ]\n  nested = 2\nRegion=r-1 # why\nempty =\nsecret = a#b;c/+=\n; x = 1\nno equals\n[other]\nregion\t=\tr-2\r\n[default]\nlater = 3"
        )
        #expect(file.profile("default") == ["region": "r-1", "empty": "", "secret": "a#b;c/+=", "later": "3"])
        #expect(file.profile("other") == ["region": "r-2"])
        #expect(file.profile("absent") == nil)
    }
}
