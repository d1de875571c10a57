"""Which mutants are tried, and which of them the compiler takes."""
import hashlib

from mutation.checkout import MODULES

# The compiler refuses a few of those that are chosen: a result that must be used, a value that is missing at the end.
SPARE = 1.1
# Errors in one module hide those in the next one, and some errors hide others in the same file.
MOST_BUILDS = 25


def chosen(candidates, count, seed, refused):
    """A number of candidates, at most one in a line: a share of each module, and in it each kind of fault as often as the code has it.

    The order is that of a digest of their names, so that a change of the code changes the choice only where the code has changed."""
    shares = {module: [] for module in MODULES}
    lines = set()
    for mutant in sorted(candidates, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.name}".encode()).digest()):
        if (mutant.path, mutant.line) not in lines and mutant.name not in refused:
            lines.add((mutant.path, mutant.line))
            shares[mutant.path.split("/")[1]].append(mutant)
    # The small modules would be drowned by the large one.
    least = round(count * SPARE / (len(MODULES) + 1))
    picked = [mutant for module in MODULES[:-1] for mutant in shares[module][:least]]
    return picked + shares[MODULES[-1]][:round(count * SPARE) - len(picked)]


def built(checkout, mutants, folder):
    """Writes and builds the mutants. Returns those that the compiler took, each with its number, and those that it refused."""
    numbered, refused = dict(enumerate(mutants)), []
    for _ in range(MOST_BUILDS):
        checkout.write(numbered, len(mutants))
        errors = checkout.build(folder / "build.log")
        if errors is None:
            return numbered, refused
        blamed = _blamed(numbered, errors)
        if not blamed:
            raise SystemExit(f"the copy cannot be built, and no mutant is to blame; see {folder / 'build.log'}")
        refused += [numbered.pop(number) for number in blamed]
    raise SystemExit(f"the copy cannot be built, whichever mutants are left out; see {folder / 'build.log'}")


def _blamed(numbered, errors):
    """Those in whose line an error is. An error elsewhere is of the nearest one above: a result that is missing at the end of a function."""
    blamed = set()
    for path, line in errors:
        above = [number for number, mutant in numbered.items() if mutant.path == path and mutant.line <= line]
        if above:
            blamed.add(max(above, key=lambda number: numbered[number].line))
    return blamed
