import Testing

@testable import docfs

extension QueryClock {
    /// 2026-11-22 12:00 in a time zone without changes, where the days since 1970-01-01 are counted as the calendar does.
    static let fixed = QueryClock(
        now: 1_795_348_800,
        moment: { year, month, day, hour, minute in
            let shifted = month <= 2 ? year - 1 : year
            let (era, monthOfYear) = (shifted / 400, (month + 9) % 12)
            let yearOfEra = shifted - era * 400
            let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * monthOfYear + 2) / 5 + day - 1
            return Int64((era * 146_097 + dayOfEra - 719_468) * 86_400 + hour * 3600 + minute * 60)
        }, today: (2026, 11, 22))
}

struct QueryParserTests {
    private func parse(_ text: String) throws -> QueryPredicate { try QueryParser.parse(text, clock: .fixed) }

    private func refusal(_ text: String) -> QueryError? {
        do throws(QueryError) {
            _ = try QueryParser.parse(text, clock: .fixed)
            return nil
        } catch { return error }
    }

    @Test func `a comparison is a field, an operator and a value`() throws {
        #expect(try parse("displayName = Plan") == .comparison(.displayName, .equal, .text("Plan")))
        #expect(try parse("size>=10k") == .comparison(.size, .greaterOrEqual, .number(10_240)))
        #expect(try parse("name like *.txt") == .comparison(.name, .like, .glob(Glob("*.txt"))))
        #expect(try parse("displayName contains \"a b\"") == .comparison(.displayName, .contains, .text("a b")))
        #expect(try parse("state has closed") == .comparison(.state, .has, .text("closed")))
        #expect(try parse("user.tags has red") == .comparison(.attribute("user.tags"), .has, .text("red")))
        #expect(try parse("extension != ''") == .comparison(.pathExtension, .notEqual, .text("")))
        #expect(try parse("conflicts == 2") == .comparison(.conflicts, .equal, .number(2)))
    }

    @Test func `a text that cannot be meant as a predicate is words that the name contains`() throws {
        let contains = { QueryPredicate.comparison(.displayName, .contains, .text($0)) }
        let nameContains = { QueryPredicate.comparison(.fullName, .contains, .text($0)) }
        #expect(try parse("invoice") == .all([contains("invoice")]))
        #expect(try parse("invoice March 2026") == .all(["invoice", "March", "2026"].map(contains)))
        #expect(try parse("\"annual report\" draft") == .all(["annual report", "draft"].map(contains)))
        #expect(try parse("-7d *") == .all(["-7d", "*"].map(contains)))
        #expect(try parse("Groceries.txt") == .all([nameContains("Groceries.txt")]))
        #expect(try parse("plan user.") == .all([contains("plan"), nameContains("user.")]))
        for text in [
            "size", "state name", "not found", "bread and butter", "people I like", "closed deals", "invoice and",
        ] {
            #expect(try parse(text) == .all(text.split(separator: " ").map { contains(String($0)) }), "\(text)")
        }
        for text in [
            "invoice (x)", "name like", "", "  ", "invoice = 3", "inConflict or savingErorr", "displayName",
            "user.tags or",
            "size and modified > -7d",
        ] {
            #expect(refusal(text) != nil, "\(text)")
        }
    }

    @Test func `a flag and an attribute are predicates by themselves`() throws {
        #expect(try parse("inConflict") == .flag("inConflict"))
        #expect(try parse("not user.tags") == .not(.exists(.attribute("user.tags"))))
    }

    @Test func `and binds more than or, not more than both, and parentheses most`() throws {
        let (closed, conflict, normal) = (
            QueryPredicate.flag("closed"), QueryPredicate.flag("inConflict"), QueryPredicate.flag("normal")
        )
        #expect(try parse("closed or inConflict and normal") == .any([closed, .all([conflict, normal])]))
        #expect(try parse("(closed or inConflict) and normal") == .all([.any([closed, conflict]), normal]))
        #expect(try parse("not closed and normal") == .all([.not(closed), normal]))
        #expect(try parse("not (closed and not normal)") == .not(.all([closed, .not(normal)])))
        #expect(try parse("((closed))") == closed)
    }

    @Test func `a value in quotes is taken as it is`() throws {
        #expect(
            try parse(#"displayName = "a \"b\" \\ (c)""#) == .comparison(.displayName, .equal, .text(#"a "b" \ (c)"#)))
        #expect(try parse("displayName='it is \"so\"'") == .comparison(.displayName, .equal, .text("it is \"so\"")))
        #expect(try parse("displayName = and") == .comparison(.displayName, .equal, .text("and")))
    }

    @Test(arguments: [
        ("", 1, "is missing at the end"),
        ("size >", 7, "a value is missing at the end"),
        ("size > big", 8, "is not a size"),
        ("colour = red", 1, "there is no field `colour`; the fields are name, "),
        ("closed inConflict", 8, "`and`, `or` or the end"),
        ("(closed", 1, "is not closed"),
        (String(repeating: "(", count: 100_000), 201, "in too many others"),
        ("closed)", 7, "closes nothing"),
        ("inConflict and", 15, "is missing at the end"),
        ("size like *", 6, "does not go with `size`"),
        ("modified > soon", 12, "is no date"),
        ("modified > 2026-13-01", 12, "is no date"),
        ("modified > 2026-02-29", 12, "is no date"),
        ("displayName = \"a", 15, "has no end"),
        ("indicator = blue", 13, "but one of green, yellow, red"),
        ("state = open", 9, "but one of closed, "),
        ("= 5", 1, "a field is missing"),
        ("! closed", 1, "is no comparison"),
        ("\"a\" = b", 1, "not a value in quotes"),
        ("size > -1", 8, "is not a size"),
        ("size > 99999999999G", 8, "is not a size"),
        ("()", 2, "a comparison is missing"),
    ])
    func `what is wrong is said in one line, with its place`(text: String, position: Int, message: String) throws {
        let error = try #require(refusal(text))
        #expect(error.position == position)
        #expect(error.message.contains(message), "\(error)")
        #expect(!"\(error)".contains("\n"))
    }

    @Test func `dates are days, minutes, or so long ago`() {
        let clock = QueryClock.fixed
        let midnight: Int64 = 1_795_305_600
        #expect(clock.period("today") == QueryPeriod(start: midnight, end: midnight + 86_400))
        #expect(clock.period("yesterday") == QueryPeriod(start: midnight - 86_400, end: midnight))
        #expect(clock.period("2026-11-22") == clock.period("today"))
        #expect(clock.period("2026-11-22T12:00") == QueryPeriod(start: clock.now, end: clock.now + 60))
        #expect(clock.period("2026-11-22 12:00") == clock.period("2026-11-22T12:00"))
        #expect(clock.period("-7d") == QueryPeriod(start: clock.now - 604_800, end: clock.now - 604_799))
        #expect(clock.period("-1w") == clock.period("-7d"))
        #expect(clock.period("-90m")?.start == clock.now - 5400)
        for text in ["-d", "-7y", "7d", "2026-1-1", "2026-11-22T24:00", "tomorrow"] {
            #expect(clock.period(text) == nil)
        }
    }

    @Test func `the machine's clock knows its own day`() throws {
        let clock = QueryClock.system
        let today = try #require(clock.period("today"))
        #expect(today.start <= clock.now && clock.now < today.end)
    }
}
