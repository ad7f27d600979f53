"""How quotes rested: from the orders that rested, the fills, and the others' book over time (docs/report.md)."""
import math
from collections import defaultdict

from book import EPS, sides_of
from figures import ratio, total

EDGES = (-math.inf, 0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, math.inf)
HOUR = 3_600_000


def phase_sums():
    return {
        "ms": 0.0,
        "market": 0.0,
        "both": 0.0,
        "best": 0.0,
        "priced": 0.0,
        "payout": 0.0,
        "distance": 0.0,
        "weighted": 0.0,
        "points": [],
        "slots": [0.0] * 8,
        "payouts": [0.0] * 8,
    }


def slot_of(distance):
    return next(index for index in range(8) if distance < EDGES[index + 1])


def quoting(orders, fills, books, end, by=lambda game: game.league):
    """Sums by (phase, league): how long orders rested, on both sides, at the best price, and how far from fair."""
    sums = defaultdict(phase_sums)
    parts = defaultdict(list)
    for fill in fills:
        parts[fill["ref"]].append(fill)
    markets = defaultdict(list)
    for order in orders:
        markets[order["market"]].append(order)
    for market, rows in markets.items():
        game = books.games[rows[0]["game"]]
        began = min(game.start, game.live_at if game.live_at is not None else game.start)
        # what changes at a time: an order begins, ends or fills, a price moves, the game starts
        moments = {began}
        events = defaultdict(list)
        for order in rows:
            to = end if order["to"] is None else order["to"]
            if to == order["from"]:
                continue
            moments.update((order["from"], to))
            events[order["from"]].append(("begin", order, order["risk"]))
            events[to].append(("end", order, 0))
            for fill in parts[order["ref"]]:
                moments.add(fill["t"])
                events[fill["t"]].append(("fill", order, fill["risk"]))
        series = [books.fair[market]] + [books.best[(market, side)] for side in sides_of(market)]
        if len(moments) < 2:
            continue
        low, high = min(moments - {began}), max(moments - {began})
        for values in series:
            moments.update(key[0] for key in values.keys if low <= key[0] <= high)
        moments = sorted(at for at in moments if low <= at <= high)
        active = {}
        cursor = [0, 0, 0]
        for at, following in zip(moments, moments[1:]):
            for kind, order, risk in sorted(events[at], key=lambda event: event[0] == "begin"):
                if kind == "begin":
                    active[order["ref"]] = [order, risk]
                elif kind == "fill" and order["ref"] in active:
                    active[order["ref"]][1] -= risk
                elif kind == "end":
                    active.pop(order["ref"], None)
            for index, values in enumerate(series):
                while cursor[index] < len(values.keys) and values.keys[cursor[index]][0] <= at:
                    cursor[index] += 1
            fair, *best = [values.values[at - 1] if at else None for values, at in zip(series, cursor)]
            if not active:
                continue
            row = sums[("prematch" if at < began else "inplay", by(game))]
            ms = following - at
            row["market"] += ms
            if len({order["side"] for order, _ in active.values()}) == 2:
                row["both"] += ms
            for order, left in active.values():
                row["ms"] += ms
                others = best[0 if order["first"] else 1]
                if others is None or order["q"] <= others + EPS and order["q"] >= others - EPS or order["q"] > others:
                    row["best"] += ms
                if fair is None:
                    continue
                distance = (fair if order["first"] else 1 - fair) - order["q"]
                payout = left / order["q"]
                row["priced"] += ms
                row["distance"] += ms * distance
                row["payout"] += ms * payout
                row["weighted"] += ms * payout * distance
                row["points"].append((distance, ms, ms * payout))
                row["slots"][slot_of(distance)] += ms
                row["payouts"][slot_of(distance)] += ms * payout
    return sums


def median(points, index):
    points = sorted(points)
    half = total(point[index] for point in points) / 2
    passed = 0.0
    for point in points:
        passed += point[index]
        if passed >= half:
            return point[0]
    return None


def joined(rows):
    answer = phase_sums()
    for row in rows:
        for name, value in row.items():
            if name in ("slots", "payouts"):
                answer[name] = [a + b for a, b in zip(answer[name], value)]
            else:
                answer[name] += value
    return answer


def fill_rates(row, fills):
    counts = [0] * 8
    for fill in fills:
        if fill["f0"] is not None:
            counts[slot_of(fill["f0"] - fill["c"])] += 1
    return [
        {
            "from": None if EDGES[index] == -math.inf else EDGES[index],
            "to": None if EDGES[index + 1] == math.inf else EDGES[index + 1],
            "quoteHours": row["slots"][index] / HOUR,
            "fills": counts[index],
            "rate": ratio(counts[index], row["slots"][index] / HOUR),
        }
        for index in range(8)
    ]


def shares(row):
    return {
        "twoSided": ratio(row["both"], row["market"]),
        "atBest": ratio(row["best"], row["ms"]),
        "meanDistance": ratio(row["weighted"], row["payout"]),
        "plainMeanDistance": ratio(row["distance"], row["priced"]),
        "quoteHours": row["ms"] / HOUR,
    }


QUEUES = (0, 1, 100, 500, 2000, 10000)


def section(sums, orders, fills, phase, active):
    """`quoting` of the report, of one phase or of both. `sums`: by phase and league. `active`: those with an order or a fill."""
    row = joined(sums.values())
    rates = fill_rates(row, fills)
    answer = {
        **shares(row),
        # the median lies in one of the ranges of the fill rate, and is interpolated in it (docs/design/figures.md)
        "plainMedianDistance": median_of(row["slots"]),
        "medianDistance": median_of(row["payouts"]),
        "fillRate": rates,
    }
    answer["byLeague"] = []
    for (name, league), part in sorted(sums.items(), key=lambda item: item[0][0] != "prematch"):
        if (name, league) not in active:
            continue
        chosen = [f for f in fills if f["league"] == league and f["phase"] == name]
        answer["byLeague"].append(
            {
                "phase": name,
                "league": league,
                "quoteHours": part["ms"] / HOUR,
                "fills": len(chosen),
                "fillRate": fill_rates(part, chosen),
            }
        )
    mine = [order for order in orders if phase in ("all", order["phase"])]
    answer["orders"] = len(mine)
    answer["byQueue"] = []
    for low, high in zip(QUEUES, (*QUEUES[1:], math.inf)):
        there = [order for order in mine if order["seen_ahead"] is not None and low <= order["seen_ahead"] < high]
        answer["byQueue"].append(
            {"from": low, "orders": len(there), "filled": ratio(sum(order["filled"] > 0 for order in there), len(there))}
        )
    ended = [order for order in mine if order["to"] is not None]
    answer["cancelsPerFill"] = ratio(sum(order["ended"] in ("cancelled", "edited") for order in ended), len(fills))
    lives = sorted(order["to"] - order["from"] for order in ended)
    # of an even number, the higher of the two in the middle
    answer["medianLifeMs"] = lives[len(lives) // 2] if lives else None
    return answer


def median_of(slots):
    """The median of a distribution over the ranges, linear inside the range in which it lies."""
    half, passed = sum(slots) / 2, 0.0
    for index, ms in enumerate(slots):
        if ms > 0 and passed + ms >= half:
            low, high = EDGES[index], EDGES[index + 1]
            if low == -math.inf:
                return high
            if high == math.inf:
                return low
            return low + (high - low) * (half - passed) / ms
        passed += ms
    return None
