"""Which rows of a run have fallen behind an earlier run, and by more than chance."""
import itertools
import statistics

# A change of a twentieth counts, if chance would order the rounds of both runs so badly less than once in a hundred times.
SMALLEST = 1 / 20
CHANCE = 1 / 100
# The fewest rounds of each run for which chance can be so small.
ROUNDS = 5


def chance_of(lower, higher):
    """The share of all ways to deal these values into two heaps in which as many values of the first lie above one of the second, or fewer.

    This is the exact test of Mann and Whitney, on one side. Ties count as half above."""
    def above(first, second):
        return sum((one > other) + (one == other) / 2 for one in first for other in second)

    values = [*lower, *higher]
    observed = above(lower, higher)
    deals = list(itertools.combinations(range(len(values)), len(lower)))
    as_low = sum(
        above([values[index] for index in deal], [value for index, value in enumerate(values) if index not in deal]) <= observed
        for deal in deals)
    return as_low / len(deals)


class Change:
    """How a row's speed has changed: 0.9 is a tenth slower."""

    def __init__(self, row, subject, old, new):
        self.name = row if subject == "docfs" else f"{row}, {subject}"
        self.factor = statistics.median(new) / statistics.median(old)
        if min(len(old), len(new)) < ROUNDS:
            self.verdict = "unknown" if abs(self.factor - 1) > SMALLEST else "same"
        elif self.factor < 1 - SMALLEST and chance_of(new, old) < CHANCE:
            self.verdict = "fallen"
        elif self.factor > 1 + SMALLEST and chance_of(old, new) < CHANCE:
            self.verdict = "risen"
        else:
            self.verdict = "same"


def changes(old, new, subjects):
    """The change of each row that both runs have, beside the same baseline."""
    before = {row.name: row for row in old.rows}
    for row in new.rows:
        earlier = before.get(row.name)
        if earlier is None or earlier.baseline != row.baseline:
            continue
        for subject in subjects:
            if subject in row and subject in earlier:
                yield Change(row.name, subject, earlier.speeds(subject), row.speeds(subject))


def report(old, new, subjects):
    """Lines for a person, and whether a row has fallen."""
    found = list(changes(old, new, subjects))
    lines = [f"compared with {old.circumstances['commit']} of {old.circumstances['date']}: {len(found)} figures"]
    headings = {
        "fallen": "slower by more than a twentieth and their noise", "risen": "faster by more than a twentieth and their noise",
        "unknown": f"changed, with fewer than {ROUNDS} rounds in a run, so that it may be chance"}
    for verdict, heading in headings.items():
        chosen = [change for change in found if change.verdict == verdict]
        if chosen:
            lines.append(f"{heading}:")
            lines += [f"  {change.name:44} {change.factor:6.2f} times as fast" for change in sorted(chosen, key=lambda change: change.factor)]
    has_fallen = any(change.verdict == "fallen" for change in found)
    if not has_fallen:
        lines.append("no row has fallen")
    return lines, has_fallen
