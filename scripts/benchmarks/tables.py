"""Tables of a run: for a terminal, for the page Performance, and a short one for the README."""
from .results import BASELINES, SUBJECTS

# The rows of the short table, in words.
SHORT = {
    "sequential-write": "write 256 MiB and fsync", "sequential-read-warm": "read 256 MiB again", "create": "create 2,000 files",
    "stat-warm": "stat 2,000 files", "open-read": "open and read 2,000 small files", "ls-l-warm": "ls -l of 10,000 files",
    "atomic-save": "save 500 times by renaming", "untar": "unpack 3,000 files", "git-status": "git status, 5,000 files",
}
# Which ratio belongs to which of docfs's folders: local is like a plain folder, the cloud like what others mount of it.
COMPARED = {"native": "docfs", "bindfs": "docfs", "plain": "docfs", "rclone": "cloud", "juicefs": "cloud"}


def figure(row, name):
    if name not in row:
        return ""
    value = row.median(name)
    if row.unit == "bytes":
        return f"{value / 2**20:.0f} MiB" if value >= 1 << 20 else f"{value:.0f} B"
    if value >= 10:
        return f"{value:.1f} s"
    return f"{value * 1000:.1f} ms" if value >= 0.001 else f"{value * 1e6:.0f} us"


def ratio(row, baseline):
    subject = COMPARED[baseline] if COMPARED[baseline] in row else "docfs"
    value = row.ratio(subject, baseline)
    return "" if value is None else f"{value:.2f}"


def cells(rows):
    """The heading and a line of texts for each row."""
    columns = [name for name in (*BASELINES, *SUBJECTS) if any(name in row for row in rows)]
    baselines = [name for name in columns if name in BASELINES]
    has_cloud = "cloud" in columns
    headings = [f"{COMPARED[name] if has_cloud else 'docfs'} / {name}" for name in baselines]
    yield ["row", *columns, *headings]
    for row in rows:
        yield [row.name, *(figure(row, name) for name in columns), *(ratio(row, name) for name in baselines)]


def text(rows):
    lines = list(cells(rows))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))]).rstrip() for line in lines)


def markdown(lines):
    heading, *rest = lines
    rule = ["---", *("---:" for _ in heading[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heading, rule, *rest)).replace("|  |", "| |").replace("|  |", "| |")


def page(results):
    """The whole table, with where it comes from."""
    return markdown(cells(results.rows)) + "\n\n" + results.origin


def short_rows(results):
    """A few rows, by what they are in words."""
    rows = {row.name: row for row in results.rows}
    return {words: rows[name] for name, words in SHORT.items() if name in rows}


def short(results):
    """A few rows as ratios."""
    rows = short_rows(results)
    names = [name for name in BASELINES if any(name in row for row in rows.values())]
    heading = ["", *(f"`{'cloud' if COMPARED[name] == 'cloud' else 'local'}` beside {TITLES[name]}" for name in names)]
    return markdown([heading, *([words, *(ratio(row, name) for name in names)] for words, row in rows.items())])


TITLES = {"native": "the plain folder", "bindfs": "bindfs", "rclone": "rclone mount", "juicefs": "JuiceFS", "plain": "a plain container"}
