/// The state of a whole mount in a sentence or two.
struct MountSentence {
    let words: [StyledText]

    init(_ state: StateText) {
        func number(_ key: String) -> Int { state[key].flatMap { Int($0) } ?? 0 }
        let (inCloud, local) = (number("cloud.documents"), number("local.documents"))
        let (pending, conflicts) = (number("cloud.pending"), number("cloud.conflicts"))
        var sentences: [StyledText] = []
        let here = local == 0 ? "" : "; \(local) \(local == 1 ? "is" : "are") on this machine only"
        switch (inCloud, pending) {
        case (0, 0) where local == 0: sentences.append("There are no documents yet.")
        case (0, 0):
            let documents = local == 1 ? "The one document is" : "All \(local) documents are"
            sentences.append(StyledText("\(documents) on this machine only."))
        case (_, 0):
            let documents =
                switch inCloud {
                case 1: "One document is"
                case 2: "Both documents are"
                default: "All \(inCloud) documents are"
                }
            sentences.append(StyledText("\(documents) in the cloud\(here)."))
        default:
            let waiting = "\(HumanText.count(pending, "change")) \(pending == 1 ? "waits" : "wait") for the cloud"
            let only =
                local == 0
                ? "" : "; \(HumanText.count(local, "document")) \(local == 1 ? "is" : "are") on this machine only"
            sentences.append(StyledText("\(waiting)\(only).", .bold))
        }
        if conflicts > 0 {
            sentences.append(StyledText("\(HumanText.count(conflicts, "version")) in conflict.", .yellow))
        }
        if let fault = state["store.error"] {
            sentences.append(StyledText(fault.prefix(1).uppercased() + fault.dropFirst() + ".", .red))
        }
        let findings = number("check.findings")
        if findings > 0 {
            let fault =
                "docfs check found \(HumanText.count(findings, "fault")); docfs check --repair mends what it can."
            sentences.append(StyledText(fault, .red))
        }
        if let connection = state["cloud.connection"], connection != "online" {
            let fact =
                switch connection {
                case "offline": "The cloud cannot be reached"
                case "unauthorized": "The cloud refuses this device's credentials"
                default: connection
                }
            sentences.append(StyledText(fact + (state["cloud.error"].map { ": \($0)" } ?? "") + ".", .yellow))
        }
        if state["cloud.copy"] != nil {
            sentences.append(
                StyledText("The container is on the disk of the documents themselves: it is no second copy.", .yellow))
        }
        words = Array(sentences.map { [$0] }.joined(separator: [" "]))
    }
}
