import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct GitTests {
    @Test(arguments: ["local", "cloud"])
    func `git keeps a repository with display names shown`(container: String) async throws {
        try await withDevice(.displayNames) { device in
            let repository = device.documents / container / "Project"
            try repository.makeFolder()
            @discardableResult
            func git(_ script: String) async throws -> ProgramResult {
                try await runShell(script, in: repository)
            }
            try await git("git init -q -b main && git status --porcelain")
            try (repository / "README.md").create("# Project\n")
            try (repository / "Sources").makeFolder()
            for index in 1...10 {
                try (repository / "Sources" / "file \(index).swift").create(
                    "let x\(index) = \(index)\n")
            }
            #expect(
                try await git("git add -A && git commit -qm first && git status --porcelain").line
                    == "")
            let identity = try (repository / "README.md").identity()

            try (repository / "README.md").append("More.\n")
            #expect(try await git("git status --porcelain").lines == [" M README.md"])
            try await git("git commit -qam second && git checkout -q -b other HEAD~1")
            #expect(try (repository / "README.md").text() == "# Project\n")
            #expect(try (repository / "README.md").identity() == identity)
            try await git(
                "git mv 'Sources/file 1.swift' Sources/first.swift && git commit -qm third")
            try await git("git checkout -q main && git merge -q -m merge other")
            #expect(try (repository / "README.md").text() == "# Project\nMore.\n")
            #expect((repository / "Sources" / "first.swift").exists)
            try await git("git stash list && git gc -q && git fsck --strict")
            #expect(try await git("git status --porcelain").line == "")
            #expect(try await git("git log --oneline | wc -l").line.contains("4"))
            try await device.remount()
            #expect(try await git("git status --porcelain && git fsck").line == "")
            try await git("cd .. && git clone -q Project Clone && diff -r -x .git Project Clone")
        }
    }

    @Test func `a bare repository needs no display names`() async throws {
        try await withDevice { device in
            let work = device.folder / "work"
            try await runShell(
                """
                git init -q -b main "$WORK" && cd "$WORK" && echo one > one.txt && git add . && git commit -qm one && \
                git init -q --bare -b main "$LOCAL/.project.git" && git push -q "$LOCAL/.project.git" main && \
                git clone -q "$LOCAL/.project.git" "$WORK.clone" && diff -r -x .git "$WORK" "$WORK.clone" && \
                git -C "$LOCAL/.project.git" fsck
                """, environment: ["WORK": work.string, "LOCAL": device.local.string])
        }
    }
}
