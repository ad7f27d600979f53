"""Recomputes the figures of a report from the raw files of a run, by the written definitions, and compares them.

  recompute.py backtest FOLDER SCENARIO TAPE RESULTS EVENTS REPORT
  recompute.py live JOURNAL EVENTS REPORT FILLS BASE SHARE
  recompute.py own BETS ODDS RESULTS REPORT
  recompute.py select BETS ODDS TO      the bets whose line is quoted at every time that counts

TAPE and JOURNAL are plain NDJSON, EVENTS is the output of `oddsmaker events --json`, REPORT that of `report --json`,
FILLS the CSV file of `export --what fills`. The fair price of the strategy is BASE + SHARE x that of the others' book.
Prints a line for each figure: the figure, ours, theirs, and whether they are equal to rounding. Exit 0 if all are, else 1.
The definitions are docs/report.md, docs/own-fills.md and docs/design/; the tolerances are in compare.py.
"""
import json
import math
import sys

import backtest
import figures
import journal
import own
import report
import table
from compare import compare, with_luck_in_cents


def scenario(path, name):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["scenarios"][name]


def of_backtest(folder, name, tape, results, events, reported):
    theirs = scenario(reported, name)
    run = backtest.read_backtest(folder, name, tape, results, events)
    time, fills = run["time"], run["fills"]
    activity = report.activity_of(run["orders"], fills, time.books, run["events"], (time.begin, time.end))
    ours = report.whole(fills, activity, theirs, backtest.day_of)
    with open(f"{folder}/result.json", encoding="utf-8") as file:
        result = json.load(file)["scenarios"][name]
    checks = backtest_bounds(fills, theirs, folder, name) + interval_checks(fills, theirs)
    rows = table.rows(fills, table.ROUNDED, "backtest") + result_rows(fills, result)
    return ours, theirs, report.ALWAYS + report.BACKTEST, fills, checks, rows


def result_rows(fills, result):
    """Money of result.json that stands on fills alone."""
    pairs = [
        ("fills", len(fills), result["fills"]),
        ("riskFilled", figures.total(f["risk"] for f in fills), result["riskFilled"]),
        ("pnl.settled", figures.total(f["profit"] for f in fills if f["profit"] is not None), result["pnl"]["settled"]),
    ]
    return [
        (f"result.json.{name}", ours, theirs, "equal" if abs(ours - theirs) <= 0.005 + 1e-6 * len(fills) else "DIFFERS")
        for name, ours, theirs in pairs
    ]


def backtest_bounds(fills, theirs, folder, name):
    """What can only be bounded: the drawdown of pnl.csv is at most that of every second, the worst case at most its end."""
    peak, fall = -math.inf, 0.0
    for row in backtest.lines_of_csv(f"{folder}/pnl.csv"):
        value = float(row[name])
        peak = max(peak, value)
        fall = max(fall, peak - value)
    inventory = theirs["inventory"]
    final = figures.total(f["profit"] for f in fills if f["profit"] is not None)
    return [
        ("inventory.checked.maxDrawdown", fall, inventory["maxDrawdown"], fall <= inventory["maxDrawdown"] + 0.01 <= 1.1 * fall + 1),
        ("inventory.checked.worst", min(0.0, final), inventory["worst"], inventory["worst"] <= min(0.0, final) + 0.01),
        ("pnl.csv.end", final, value, abs(value - final) <= 0.0051),
    ]


def of_live(path, events, reported, exported, base, share):
    theirs = scenario(reported, "live")
    own_fair = lambda consensus: None if consensus is None else float(base) + float(share) * consensus
    run, fills, orders = journal.read_run(path, events, own_fair)
    activity = report.activity_of(orders, fills, run.books, run.events, (run.begin, run.end))
    ours = report.whole(fills, activity, theirs, backtest.day_of)
    most = ours["inventory"]["most"]
    checks = [("inventory.checked.most", most, theirs["inventory"]["most"], theirs["inventory"]["most"] <= most + 0.01)]
    same = sum(abs(order["book_ahead"] - order["seen_ahead"]) < 1e-3 for order in orders)
    checks.append(("OrderRested.ahead.checked", same, len(orders), same >= 0.98 * len(orders)))
    checks += interval_checks(fills, theirs)
    for fill in fills:
        before = fill["reported"].get("before", {}).get("consensus")
        mine = fill["f0"] if fill["first"] or fill["f0"] is None else 1 - fill["f0"]
        same = before is None and mine is None or None not in (before, mine) and abs(before - mine) < 1e-9
        checks.append((f"Fill[{fill['tx']}].before", mine, before, same))
    rows = {row["tx"]: row for row in backtest.lines_of_csv(exported)}
    for fill in fills:
        fill["row"] = rows[fill["tx"]]
    return ours, theirs, report.ALWAYS + report.LIVE, fills, checks, table.rows(fills, table.EXACT, run.name)


def of_own(table, odds, results, reported):
    theirs = scenario(reported, "own")
    fills = own.read_bets(table, odds, results)
    activity = {name: {"quoting": {}, "inventory": {}} for name in ("prematch", "inplay", "all")}
    ours = report.whole(fills, activity, theirs, backtest.day_of)
    for tree in (ours, *ours["phases"].values()):
        del tree["permits"]
    ours["inventory"] = {"maxDrawdown": own.drawdown(fills)}
    return ours, theirs, report.ALWAYS + report.OWN, fills, interval_checks(fills, theirs), []


def interval_checks(fills, theirs):
    """The intervals of both phases and of all. A bootstrap over games is drawn at random: it must contain the sum, and be as
    wide as the deviation over games says."""
    values = {
        "edge": (lambda f: True, figures.edge_of),
        "clv": (lambda f: f["phase"] == "prematch", figures.edge_of),
        "pnl": (lambda f: True, lambda f: None if f["profit"] is None else f["profit"] - f["commission"]),
    }
    parts = [("", fills, theirs)]
    parts += [(f"phases.{phase}.", [f for f in fills if f["phase"] == phase], tree) for phase, tree in theirs["phases"].items()]
    rows = []
    for path, chosen, tree in parts:
        games = len(figures.games_of(chosen))
        for name, (is_of, value) in values.items():
            counted = [f for f in chosen if is_of(f)]
            sums = figures.sums_by_game(counted, value)
            # the P&L has no interval while a bet is open
            is_known = min(games, len(sums)) >= 30 and (name != "pnl" or len(sums) == games)
            low, high = tree["interval"][f"{name}Low"], tree["interval"][f"{name}High"]
            if not is_known or low is None:
                rows.append((f"{path}interval.checked.{name}", len(sums), low, not is_known and low is None and high is None))
                continue
            mean = figures.total(sums) / len(sums)
            wide = 2 * 1.96 * math.sqrt(figures.total((x - mean) ** 2 for x in sums))
            is_fine = low < figures.total(sums) < high and 0.75 < (high - low) / wide < 1.25
            rows.append((f"{path}interval.checked.{name}", wide, high - low, is_fine))
    return rows


def shown(value):
    return f"{value:.9g}" if isinstance(value, float) else json.dumps(value)


def main(arguments):
    kind, *paths = arguments
    if kind == "select":
        print(own.select(*paths))
        return 0
    ours, theirs, reasons, fills, checks, rows = {"backtest": of_backtest, "live": of_live, "own": of_own}[kind](*paths)
    ours = report.without(ours, reasons)
    with_luck_in_cents(ours, theirs)
    rows = compare(ours, theirs, reasons, len(fills)) + rows
    rows += [(name, mine, reported, "checked" if is_fine else "DIFFERS") for name, mine, reported, is_fine in checks]
    print("figure", "ours", "theirs", "equal", sep="\t")
    for path, mine, reported, verdict in rows:
        print(path, shown(mine), shown(reported), verdict, sep="\t")
    counts = {}
    for row in rows:
        counts[row[3]] = counts.get(row[3], 0) + 1
    for pattern, reason in reasons:
        print(f"not recomputed: {pattern}: {reason}")
    print(", ".join(f"{counts[name]} {name}" for name in sorted(counts)) + f", {len(fills)} fills")
    wrong = [row[0] for row in rows if row[3] in ("DIFFERS", "MISSING")]
    for path in wrong[:40]:
        print(f"not equal: {path}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
