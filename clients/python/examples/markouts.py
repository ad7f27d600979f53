"""Draws how fills did after they were made, and how the fill rate falls with the distance from fair, as two pictures.

python3 clients/python/examples/markouts.py RESULTS FOLDER   # RESULTS: a folder that backtest --out wrote
"""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # not needed where the client is installed

import oddsmaker  # noqa: E402
from oddsmaker.command import run  # noqa: E402
from oddsmaker.tables import read_csv  # noqa: E402

SECONDS = (1, 5, 10, 30, 60, 300)
WIDTH, HEIGHT, LEFT, BOTTOM = 560, 300, 70, 40
TONES = ("#1f6feb", "#cf222e", "#1a7f37", "#8250df")


def picture(title, x_label, y_label, lines):
    """An SVG of lines {name: [(x, y), …]}, x in even steps; y None is left out."""
    values = [y for points in lines.values() for _, y in points if y is not None] or [0]
    low, high = min(0, *values), max(0, *values)
    span = (high - low) or 1
    labels = [label for label, _ in next(iter(lines.values()), [])]
    x = lambda index: LEFT + index * (WIDTH - LEFT - 20) / max(1, len(labels) - 1)
    y = lambda value: HEIGHT - BOTTOM - (value - low) / span * (HEIGHT - BOTTOM - 56)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">']
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><text x="{LEFT}" y="16" font-size="13">{title}</text>')
    for value in (low, (low + high) / 2, high):
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - 20}" stroke="#ddd"/><text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for index, label in enumerate(labels):
        parts.append(f'<text x="{x(index):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{label}</text>')
    for number, (name, points) in enumerate(lines.items()):
        tone = TONES[number % len(TONES)]
        path = " ".join(f"{x(index):.1f},{y(value):.1f}" for index, (_, value) in enumerate(points) if value is not None)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{tone}" stroke-width="1.5"/>')
        parts.append(f'<text x="{WIDTH - 24}" y="{34 + 14 * number}" text-anchor="end" fill="{tone}">{name}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">{x_label}</text><text x="8" y="32">{y_label}</text></svg>')
    return "\n".join(parts)


def markouts(fills):
    """Cents per dollar of payout after each time, by scenario and phase."""
    lines = {}
    for scenario in sorted({row["scenario"] for row in fills}):
        own = [row for row in fills if row["scenario"] == scenario]
        points = []
        for seconds in SECONDS:
            known = [row for row in own if row[f"markout_{seconds}s"] is not None]
            payout = sum(row["risk"] + row["win"] for row in known)
            points.append((f"{seconds} s", 100 * sum(row[f"markout_{seconds}s"] for row in known) / payout if payout else None))
        lines[scenario] = points
    return lines


def fill_rates(folder):
    """Fills an hour of one quote by its distance from fair in points, with the log-linear fit, by phase and league."""
    scenarios = json.loads(run(["report", str(folder), "--json"]))["scenarios"]
    lines = {}
    for rate in next(iter(scenarios.values()))["quoting"]["byLeague"]:
        rows = [row for row in rate["fillRate"] if row["from"] is not None and row["rate"] is not None]
        if not rows:
            continue
        name = f'{rate["phase"]} {rate["league"]}'
        lines[name] = [(f'{100 * row["from"]:.1f}', row["rate"]) for row in rows]
        fit = rate["fillRateFit"]
        if fit["reads"] == "usable":
            lines[f"{name}, fit"] = [(label, fit["a"] * math.exp(-fit["k"] * float(label))) for label, _ in lines[name]]
    return lines


def main():
    results, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    fills = read_csv(results / "fills.csv")
    pictures = {
        "markouts.svg": picture("Markouts", "after the fill", "cents per dollar of payout", markouts(fills)),
        "fill-rate.svg": picture("Fill rate λ(δ)", "points from fair", "fills an hour", fill_rates(results)),
    }
    for name, svg in pictures.items():
        (out / name).write_text(svg, encoding="utf-8")
        print(out / name)
    print(f"{len(fills)} fills of {oddsmaker.__name__}")


if __name__ == "__main__":
    main()
