"""What a run of the benchmark has measured, and where: kept as JSON, so that two runs can be compared."""
import json
import os
import platform
import shlex
import statistics
import subprocess
import time

# What is measured: docfs's own folders, and what they are compared with. The first that a row has is its baseline.
SUBJECTS = ("docfs", "cloud")
BASELINES = ("native", "bindfs", "rclone", "juicefs", "plain")


class Row:
    """One kind of work: for each folder or program a value of each round, in seconds or bytes."""

    def __init__(self, name, rounds, unit="seconds"):
        self.name, self.rounds, self.unit = name, rounds, unit

    def median(self, name):
        return statistics.median(self.rounds[name])

    def __contains__(self, name):
        return name in self.rounds

    @property
    def baseline(self):
        return next((name for name in BASELINES if name in self), None)

    def ratio(self, subject, baseline):
        """How many times as fast `subject` is, or None if one of them was not measured."""
        if subject not in self or baseline not in self:
            return None
        return self.median(baseline) / self.median(subject)

    def speeds(self, subject):
        """The speed of each round, as often as possible beside the baseline of the same round."""
        values = self.rounds[subject]
        if self.baseline is None:
            return [1 / value for value in values]
        return [other / value for other, value in zip(self.rounds[self.baseline], values)]


class Results:
    """The rows of a run, and how it was made."""

    def __init__(self, rows, circumstances):
        self.rows, self.circumstances = rows, circumstances

    @property
    def origin(self):
        """One sentence for the foot of a table."""
        said = self.circumstances
        return (
            f"`{said['command']}` at {said['commit']} on {said['date']}: {said['processors']} processors ({said['processor']}), {said['disk']},"
            f" Linux {said['kernel']}.")

    def write(self, path):
        rows = {row.name: {"unit": row.unit, "rounds": row.rounds} for row in self.rows}
        path.write_text(json.dumps({"circumstances": self.circumstances, "rows": rows}, indent=1) + "\n")

    @staticmethod
    def read(path):
        known = json.loads(path.read_text())
        return Results([Row(name, row["rounds"], row["unit"]) for name, row in known["rows"].items()], known["circumstances"])


def circumstances(repository, words, disk):
    """The command with the words that say what is measured; commit, date and machine of this run."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=repository, text=True, capture_output=True, check=True)
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return {
        "command": shlex.join(["scripts/benchmark", *words]), "commit": commit.stdout.strip(), "date": time.strftime("%Y-%m-%d"),
        "processors": os.cpu_count(), "processor": models[0] if models else platform.machine(), "disk": disk,
        "kernel": platform.release().split("-")[0],
    }
