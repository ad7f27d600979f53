"""The fills of a backtest: their money from its tables and events, their prices from the tape."""
import csv
import json
from collections import defaultdict
from datetime import datetime, timezone

from book import EPS, Books, ms_of, other, probability, sides_of
from figures import TAUS


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def rows_of(path, scenario):
    with open(path, encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["scenario"] == scenario]


def lines_of_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def day_of(t):
    return datetime.fromtimestamp(t / 1000, timezone.utc).strftime("%Y-%m-%d")


# docs/reference/results.md, "What decides a bet": what a level score does to a moneyline; other sports have none
LEVEL = {"soccer": 0, "football": None}


def settle(sport, kind, line, is_first, score):
    """What a unit of stake on one side of a market returns: 1 won, 0 lost, None pushed, or half and half."""
    margin, points = score["home"] - score["away"], score["home"] + score["away"]
    if kind == "moneyline" and margin == 0:
        return LEVEL[sport]
    lines = [0.0] if kind == "moneyline" else [line] if (line * 2) % 1 == 0 else [line - 0.25, line + 0.25]
    parts = []
    for at in lines:
        value = margin + at if kind != "total" else points - at
        value = value if is_first else -value
        parts.append(1 if value > 0 else 0 if value < 0 else None)
    return parts[0] if len(parts) == 1 else tuple(parts)


def paid(outcome, c):
    """y of figures.md: a quarter line counts half of each of its two lines."""
    if isinstance(outcome, tuple):
        return sum(paid(part, c) for part in outcome) / 2
    return c if outcome is None else float(outcome)


class Timeline:
    """The tape, read record by record, with the own fills where their cause is."""

    def __init__(self, tape, fills, rests):
        self.books = Books()
        self.begin = None
        waiting = defaultdict(list)
        for fill in fills:
            waiting[fill["t"]].append(fill)
        times = sorted(set(waiting) | {at for at, _ in rests})
        resting = defaultdict(list)
        for at, order in rests:
            resting[at].append(order)
        index, step, last = 0, 0, None
        for record in lines_of(tape):
            if "ts" not in record:
                continue
            step += 1
            key = (record["ts"], step)
            # what an own order did between two records
            while index < len(times) and times[index] < record["ts"]:
                self.between(times[index], step - 0.5, waiting, resting)
                index += 1
            self.apply(key, record, waiting.get(record["ts"], ()))
            self.begin = self.begin or record["ts"]
            last = key
        while index < len(times):
            self.between(times[index], step + 1, waiting, resting)
            index += 1
        self.end = last[0]

    def between(self, at, step, waiting, resting):
        for order in resting.get(at, ()):
            order["seen_ahead"] = self.books.ahead(order["market"], order["side"], order["q"], at)
        for fill in waiting.get(at, ()):
            if "cause" not in fill and fill["role"] == "taker":
                fill["cause"] = (at, step)
                self.books.take((at, step), fill["market"], other(fill["side"]), fill["c"], fill["win"])

    def apply(self, key, record, fills):
        fills = [fill for fill in fills if "cause" not in fill]
        ladders = self.books.ladders
        before = {f["market"]: [dict(ladders.get((f["market"], side), {})) for side in sides_of(f["market"])] for f in fills}
        seen = self.books.read(key, record)
        for fill in fills:
            market = fill["market"]
            if market not in seen:
                continue
            old = dict(zip(sides_of(market), before[market]))
            own, facing = fill["side"], other(fill["side"])
            new = ladders.get((market, own), {})
            # a take: an offer of the side lost some of its rest, and stayed
            is_take = any(name in new and new[name][1] < old[own][name][1] - EPS for name in old[own])
            # a new offer that crosses the own one
            across = ladders.get((market, facing), {})
            is_crossed = any(name not in old[facing] and across[name][0] + fill["c"] >= 1 - EPS for name in across)
            if is_take or is_crossed:
                fill["cause"] = key
                fill["crossed"] = is_crossed and not is_take
        for fill in fills:
            if fill.get("crossed") and fill["cause"] == key:
                self.books.take(key, fill["market"], other(fill["side"]), fill["c"], fill["win"])


def read_backtest(folder, scenario, tape, results, events):
    """Every fill with all that figures.py needs, the orders that rested, and what the run did."""
    facts = {}
    run = []
    for event in lines_of(events):
        if event["type"] == "Fill":
            facts[event["txId"]] = event
        run.append(event)
    with open(results, encoding="utf-8") as file:
        scores = json.load(file)
    fills = []
    for row in rows_of(f"{folder}/fills.csv", scenario):
        fact = facts[row["tx"]]
        kind = row["market"].split("/")[1]
        line = float(row["market"].split("/")[2]) if kind != "moneyline" else None
        c, risk = probability(float(row["odds"])), fact["risk"] / 1e6
        fills.append(
            {
                "tx": row["tx"],
                "ref": row["order"],
                "t": round(ms_of(row["time"])),
                "market": row["market"],
                "game": row["game"],
                "type": kind,
                "home_line": line,
                "side": row["side"],
                "first": row["side"] == sides_of(row["market"])[0],
                "role": row["role"],
                "c": c,
                "risk": risk,
                "win": fact["win"] / 1e6,
                "w": risk / c,
                "strategy": row["strategy"],
                "sources": {},
                # the strategy of the sample gives no fair price
                "own": None,
                "reported": row,
                "row": row,
            }
        )
    orders = []
    for row in rows_of(f"{folder}/orders.csv", scenario):
        orders.append(
            {
                "ref": row["order"],
                "from": ms_of(row["rested_from"]),
                "to": ms_of(row["rested_to"]) if row["rested_to"] else None,
                "market": row["market"],
                "game": row["game"],
                "side": row["side"],
                "first": row["side"] == sides_of(row["market"])[0],
                "q": probability(float(row["odds"])),
                "risk": float(row["risk"]),
                "filled": float(row["filled"]),
                "ended": row["ended_as"],
                "reported": row,
            }
        )
    time = Timeline(tape, fills, [(order["from"], order) for order in orders])
    for order in orders:
        game = time.books.games[order["game"]]
        began = min(game.start, game.live_at if game.live_at is not None else game.start)
        order["phase"] = "prematch" if order["from"] < began else "inplay"
    by_ref = {order["ref"]: order for order in orders}
    held = defaultdict(lambda: [0.0, 0.0])
    for fill in fills:
        complete(fill, time.books, scores, by_ref, held)
    return {"fills": fills, "orders": orders, "events": run, "time": time, "held": held}


def complete(fill, books, scores, by_ref, held):
    game = books.games[fill["game"]]
    series = books.fair.get(fill["market"])
    side = lambda price: None if price is None else price if fill["first"] else 1 - price
    before = lambda at: side(series.last_before((at, 0))) if series else None
    began = min(game.start, game.live_at if game.live_at is not None else game.start)
    t = fill["t"]
    cause = fill.get("cause", (t, 0))
    fill["league"], fill["period"] = game.league, game.period
    fill["phase"] = "prematch" if t < began else "inplay"
    # the start as the exchange announced it at the time of the fill
    fill["start"] = game.starts.last_until(t)
    fill["f0"] = side(series.last_before(cause)) if series else None
    fill["past"] = before(cause[0] - 5000)
    fill["fc"] = (before(began) if t < began else side(series.values[-1])) if series else None
    fill["marks"] = {tau: before(t + tau * 1000) for tau in TAUS}
    if fill["home_line"] is None:
        fill["line"] = None
    else:
        # the line as the backed side has it
        fill["line"] = -fill["home_line"] if fill["side"] == "away" else fill["home_line"]
    order = by_ref.get(fill["ref"])
    fill["age_ms"] = t - order["from"] if order else float(fill["reported"]["age_ms"])
    fill["ahead"] = order.get("seen_ahead") if order else None
    first, second = held[fill["market"]]
    fill["held"] = (first, second)
    gain = (fill["win"], -fill["risk"]) if fill["first"] else (-fill["risk"], fill["win"])
    held[fill["market"]] = [first + gain[0], second + gain[1]]
    fill["commission"] = 0.0
    fill["profit"], fill["y"], fill["y01"] = None, None, None
    if fill["game"] in scores:
        outcome = settle(game.sport, fill["type"], fill["home_line"] or 0, fill["first"], scores[fill["game"]])
        fill["y"] = paid(outcome, fill["c"])
        fill["y01"] = outcome if outcome in (0, 1) else None
        fill["profit"] = fill["win"] if outcome == 1 else -fill["risk"] if outcome == 0 else fill["w"] * fill["y"] - fill["risk"]
