"""The columns of a table of fills, each row by itself: `fills.csv` of a backtest, and `export --what fills` of a journal.

They are defined in docs/export.md, docs/reference/backtest-results.md and docs/design/figures.md, "Moments, medians and
rounding". What identifies a row (time, game, market, side, odds, order, tx) is not checked here: fills are found by it.
"""
import figures

# Decimals of prices and of money: a backtest writes those that people read, an export all that there are.
ROUNDED, EXACT = (4, 2), (9, 6)


def prices(fill):
    return {"f0": fill["f0"], "fc": fill["fc"], "own_fair": fill["own"], "price": fill["c"]}


def money(fill):
    gain = (fill["win"], -fill["risk"]) if fill["first"] else (-fill["risk"], fill["win"])
    value = lambda price: None if price is None else fill["w"] * (price - fill["c"])
    return {
        "risk": fill["risk"],
        "win": fill["win"],
        "queue_placed": fill["ahead"],
        "position_first": fill["held"][0] + gain[0],
        "position_second": fill["held"][1] + gain[1],
        **{f"markout_{tau}s": value(fill["marks"][tau]) for tau in figures.TAUS},
        "markout_close": value(fill["fc"]),
        # before commission
        "settled": fill["profit"],
    }


def words(fill, run):
    return {
        "in_play": "true" if fill["phase"] == "inplay" else "false",
        "type": fill["type"],
        # home's spread, or the total, on whichever side the bet is
        "line": "" if fill["home_line"] is None else f"{fill['home_line']:g}",
        "league": fill["league"],
        "period": fill["period"],
        "run": run,
        "own": "true",
    }


def rows(fills, decimals, run):
    answer = []
    for fill in fills:
        reported = fill["row"]
        for values, places in zip((prices(fill), money(fill)), decimals):
            for name, value in values.items():
                theirs = float(reported[name]) if reported[name] != "" else None
                answer.append((f"fills.csv[{fill['tx']}].{name}", value, theirs, verdict(name, value, theirs, places)))
        for name, value in words(fill, run).items():
            same = "equal" if value == reported[name] else "DIFFERS"
            answer.append((f"fills.csv[{fill['tx']}].{name}", value, reported[name], same))
    return answer


def verdict(name, value, theirs, places):
    if value is None or theirs is None:
        return "equal" if value is None and theirs is None else "DIFFERS"
    # a position sums the micro-dollars of every fill of its market
    slack = 1e-4 if name.startswith("position") else 2e-6
    return "equal" if abs(value - theirs) <= 0.5 * 10**-places + slack else "DIFFERS"
