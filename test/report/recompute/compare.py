"""Holds two trees of figures against each other, figure by figure: a figure is equal to rounding, or it is named."""
import re

# How far two figures may be apart: half of the last digit that the report shows (cents; 6 decimals for all others), and a
# micro-dollar for each fill, since stakes and wins are rounded to micro-dollars. Counts are exact. What is measured in time
# stands on exports in whole milliseconds: a thousandth. What is sampled once a second: two thousandths.
MONEY, SHARE, COUNT, TIMED, SAMPLED = "money", "share", "count", "timed", "sampled"
KINDS = [
    (MONEY, r"(^|\.)(spread|drift|pnl|commission|captured|unpricedPnl|dollars|risk|clv|markout60s|markout300s|money60s)$"),
    (MONEY, r"(^|\.)markouts\.\w+$|(^|\.)luck\.deviation$|(^|\.)permits\.staleness$|(^|\.)inventory\.most$"),
    (SAMPLED, r"(^|\.)inventory\.mean$"),
    (TIMED, r"(^|\.)quoting\.(twoSided|atBest|\w*[dD]istance|quoteHours)|quoteHours$|\.rate$|\.medianLifeMs$|\.shares\."),
    (COUNT, r"\.(fills|ofFills|unpriced|open|unknown|games|gamesNeeded|markets|orders|meanWaitMs)$"),
]


def kind_of(path):
    return next((kind for kind, pattern in KINDS if re.search(pattern, path)), SHARE)


def is_equal(path, ours, theirs, fills=0):
    if ours is None or theirs is None or isinstance(ours, str) or isinstance(theirs, str):
        return ours == theirs
    kind = kind_of(path)
    apart = abs(ours - theirs)
    if kind == COUNT:
        return apart <= (0.5 if path.endswith("meanWaitMs") else 0)
    if kind == MONEY:
        return apart <= 0.005 + 1e-6 * (fills + 1)
    if kind == TIMED:
        return apart <= 1e-6 + 1e-3 * abs(theirs) + (1 if path.endswith("LifeMs") else 0)
    if kind == SAMPLED:
        return apart <= 0.01 + 2e-3 * abs(theirs)
    # the report subtracts two rounded scores
    if path.endswith("scores.difference.brier"):
        return apart <= 1.5e-6
    # half of the last digit, and what micro-dollars of every fill do to a ratio
    return apart <= 0.5e-6 + 1e-7 + 1e-9 * abs(theirs)


def leaves(tree, path=""):
    """Every figure of a tree with its path. Rows with a key have their key in the path."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from leaves(value, f"{path}.{name}" if path else name)
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            name = value["key"] if isinstance(value, dict) and "key" in value else index
            yield from leaves(value, f"{path}[{name}]")
    else:
        yield path, tree


def compare(ours, theirs, reasons, fills):
    """Rows (path, ours, theirs, verdict): equal, DIFFERS, listed, or MISSING for a figure neither computed nor listed."""
    mine = dict(leaves(ours))
    reported = dict(leaves(theirs))
    rows = []
    for path, value in reported.items():
        if path in mine:
            rows.append((path, mine[path], value, "equal" if is_equal(path, mine[path], value, fills) else "DIFFERS"))
        elif any(re.search(pattern, path) for pattern, _ in reasons):
            rows.append((path, None, value, "listed"))
        else:
            rows.append((path, None, value, "MISSING"))
    rows += [(path, value, None, "DIFFERS") for path, value in mine.items() if path not in reported and value is not None]
    return rows


def with_luck_in_cents(ours, theirs):
    """Luck as the report shows it: the parts sum to the P&L to the cent (docs/report.md), so it takes their rounding.

    Our own luck must be within two cents of it, and the four parts must sum exactly.
    """
    names = ("spread", "drift", "luck", "commission", "pnl")
    if isinstance(theirs, list):
        for row in theirs:
            if isinstance(row, dict) and isinstance(ours, list):
                mate = next((mine for mine in ours if mine.get("key") == row.get("key")), None)
                if mate is not None:
                    with_luck_in_cents(mate, row)
    elif isinstance(theirs, dict) and isinstance(ours, dict):
        if all(isinstance(theirs.get(name), (int, float)) for name in names) and isinstance(ours.get("luck"), float):
            parts = sum(round(theirs[name] * 100) for name in names[:4])
            if parts == round(theirs["pnl"] * 100) and abs(ours["luck"] - theirs["luck"]) <= 0.0200001:
                ours["luck"] = theirs["luck"]
        for name, value in theirs.items():
            if name in ours:
                with_luck_in_cents(ours[name], value)
