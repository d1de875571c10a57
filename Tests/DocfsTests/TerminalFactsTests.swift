import Testing

@testable import docfs

struct TerminalFactsTests {
    private let capable = ["TERM": "xterm-256color"]

    @Test func `colour is for terminals that can show it, and for those who want it`() {
        func hasColor(_ isTerminal: Bool, _ environment: [String: String], _ color: ColorChoice = .auto) -> Bool {
            TerminalFacts(isTerminal: isTerminal, windowWidth: nil, environment: environment, color: color).hasColor
        }
        #expect(hasColor(true, capable))
        #expect(!hasColor(false, capable))
        #expect(!hasColor(true, ["TERM": "dumb"]))
        #expect(!hasColor(true, [:]))
        #expect(!hasColor(true, ["TERM": "xterm", "NO_COLOR": "1"]))
        #expect(hasColor(true, ["TERM": "xterm", "NO_COLOR": ""]))
        #expect(hasColor(false, ["NO_COLOR": "1"], .always))
        #expect(!hasColor(true, capable, .never))
    }

    @Test func `COLUMNS comes before the window, and 80 is for places without a window`() {
        func width(_ window: Int?, _ columns: String?) -> Int {
            let environment = columns.map { ["COLUMNS": $0] } ?? [:]
            return TerminalFacts(isTerminal: true, windowWidth: window, environment: environment).width
        }
        #expect(width(120, nil) == 120)
        #expect(width(120, "40") == 40)
        #expect(width(120, "wide") == 120)
        #expect(width(nil, "0") == 80)
    }
}
