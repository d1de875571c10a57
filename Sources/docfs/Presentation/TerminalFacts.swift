import ArgumentParser
import Foundation
import Glibc

/// When output is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// The abilities of the terminal, file or pipe that gets the output: colour, lines of a limited width, lines that are drawn again.
struct TerminalFacts: Equatable {
    let isTerminal: Bool
    /// Columns of one line.
    let width: Int
    let hasColor: Bool
    /// Whether a line can be drawn over the one before.
    let redrawsLines: Bool

    /// - Parameter windowWidth: as the terminal says; nil if it does not say.
    init(isTerminal: Bool, windowWidth: Int?, environment: [String: String], color: ColorChoice = .auto) {
        let isCapable = !["", "dumb"].contains(environment["TERM"] ?? "")
        self.isTerminal = isTerminal
        width = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? windowWidth ?? 80
        redrawsLines = isTerminal && isCapable
        switch color {
        case .always: hasColor = true
        case .never: hasColor = false
        case .auto: hasColor = isTerminal && isCapable && (environment["NO_COLOR"] ?? "").isEmpty
        }
    }

    /// Asks the kernel and the environment.
    static func of(_ descriptor: Int32, color: ColorChoice = .auto) -> TerminalFacts {
        var window = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0
        return TerminalFacts(
            isTerminal: isatty(descriptor) == 1, windowWidth: isKnown ? Int(window.ws_col) : nil,
            environment: ProcessInfo.processInfo.environment, color: color)
    }
}
