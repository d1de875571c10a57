"""Draws a chart of a benchmark's results, read as JSON from standard input: chart.py FILE.png

Each row has a bar for each file system that was measured: its speed relative to the first baseline.
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot

COLOURS = {
    "native": "#9aa0a6", "bindfs": "#e8a33d", "docfs": "#1d9a6c", "rclone": "#5b8def", "juicefs": "#8e63c7", "cloud": "#7cc8a6", "plain": "#c4c7cc"}
TITLES = {"native": "plain folder", "docfs": "docfs, local", "cloud": "docfs, cloud", "plain": "docfs, not encrypted"}


def ratios(results):
    """Rows with their speeds relative to native, or to bindfs if native was not measured. Rows with neither are left out."""
    for row, seconds in results.items():
        baseline = next((name for name in COLOURS if name in seconds and name not in ("docfs", "cloud")), None)
        if baseline is not None:
            yield row, {name: seconds[baseline] / value for name, value in seconds.items()}


def main():
    rows = list(ratios(json.load(sys.stdin)))
    names = [name for name in COLOURS if any(name in speeds for _, speeds in rows)]
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.16 * len(rows) * (len(names) + 1)))
    height = 1 / (len(names) + 1)
    for index, name in enumerate(names):
        places = [number + index * height for number, (_, speeds) in enumerate(rows) if name in speeds]
        values = [speeds[name] for _, speeds in rows if name in speeds]
        bars = axes.barh(places, values, height, label=TITLES.get(name, name), color=COLOURS[name])
        axes.bar_label(bars, [f"{value:.2g}" for value in values], fontsize=6, padding=2)
    axes.set_yticks([number + height * (len(names) - 1) / 2 for number in range(len(rows))], [row for row, _ in rows])
    axes.set_ylim(len(rows) - height / 2, -height)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.6)
    axes.set_xlabel("speed; 1 is the plain folder, in the last rows rclone copy and an unencrypted container")
    axes.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(names))
    figure.tight_layout()
    figure.savefig(sys.argv[1], dpi=150)


if __name__ == "__main__":
    main()
