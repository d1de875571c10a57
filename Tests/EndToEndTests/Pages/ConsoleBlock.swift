/// An example of a Markdown page: a fenced block marked `console`, with commands and what they print.
///
///     $ echo "milk, eggs" > local/Groceries.txt
///     $ cat local/Groceries.txt
///     milk, eggs
///
/// A prompt may name a machine: `laptop$ ls cloud`. A line without a prompt belongs to the output of the command above it.
struct ConsoleBlock: Equatable, Sendable {
    struct Step: Equatable, Sendable {
        /// Nil where the prompt names none.
        let machine: String?
        let command: String
        /// Without blank lines at its end.
        var output: [String] = []
        /// Counted from 1 in the page.
        let line: Int

        /// Whether the command is repeated until it prints what is expected: it ends in the comment `# soon`.
        var isRepeated: Bool { command.hasSuffix("# soon") }
    }

    struct OutputWithoutCommand: Error, Equatable, CustomStringConvertible {
        let line: Int
        var description: String { "line \(line): a console block begins with a command, after `$ `" }
    }

    let steps: [Step]

    /// The machines that prompts name, in the order in which they are named first.
    var machines: [String] {
        steps.compactMap(\.machine).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// All console blocks of a page. One without a command is none.
    static func all(in page: String) throws(OutputWithoutCommand) -> [ConsoleBlock] {
        var blocks: [ConsoleBlock] = []
        var open: [Step]?
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let steps = open else {
                if line == "```console" { open = [] }
                continue
            }
            if line == "```" {
                if !steps.isEmpty { blocks.append(ConsoleBlock(steps: steps.map(\.withoutBlankEnd))) }
                open = nil
            } else {
                open = try continued(steps, by: String(line), number: index + 1)
            }
        }
        return blocks
    }

    private static func continued(_ steps: [Step], by text: String, number: Int) throws(OutputWithoutCommand) -> [Step]
    {
        if let prompt = text.wholeMatch(of: /([a-z]*)\$ (.+)/) {
            let machine = prompt.1.isEmpty ? nil : String(prompt.1)
            return steps + [Step(machine: machine, command: String(prompt.2), line: number)]
        }
        guard var last = steps.last else { throw OutputWithoutCommand(line: number) }
        last.output.append(text)
        return steps.dropLast() + [last]
    }
}

extension ConsoleBlock.Step {
    fileprivate var withoutBlankEnd: Self {
        var step = self
        while step.output.last?.isEmpty == true { step.output.removeLast() }
        return step
    }
}
