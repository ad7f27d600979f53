"""Every figure of a set of fills, from docs/design/figures.md and docs/report.md alone. Nothing here is taken from src.

A fill is a dict: tx, t (ms), market, game, league, type, line, side, first (True: the market's first side), c, risk, win,
w (payout), phase, start, strategy, f0, past, fc, marks {seconds: price}, y, profit (None: open), commission, age_ms, ahead,
held (first and second of the position before), sources. Prices are of the backed side; money is in dollars.
"""
import math
import re
from collections import defaultdict

TAUS = (1, 5, 10, 30, 60, 300)


def total(values):
    return math.fsum(values)


def ratio(part, whole):
    return part / whole if whole else None


def identity(fills):
    settled = [f for f in fills if f["profit"] is not None]
    priced = [f for f in settled if f["f0"] is not None and f["fc"] is not None]
    unpriced = [f for f in settled if f["f0"] is None or f["fc"] is None]
    captured = [f for f in fills if f["f0"] is not None]
    known = priced or not fills
    spread = total(f["w"] * (f["f0"] - f["c"]) for f in priced)
    drift = total(f["w"] * (f["fc"] - f["f0"]) for f in priced)
    # luck = w (y - fc), and w y = the profit and the stake
    luck = total(f["profit"] + f["risk"] - f["w"] * f["fc"] for f in priced)
    kept = total(f["commission"] for f in priced)
    return {
        "spread": spread if known else None,
        "drift": drift if known else None,
        "luck": luck if known else None,
        "commission": -kept if known else None,
        "pnl": spread + drift + luck - kept if known else None,
        "fills": len(priced),
        "captured": total(f["w"] * (f["f0"] - f["c"]) for f in captured) if captured else None,
        "unpriced": len(unpriced),
        "unpricedPnl": total(f["profit"] - f["commission"] for f in unpriced),
        "open": len(fills) - len(settled),
    }


def mean_of(fills, value):
    """A mean weighted by payout, and the plain one."""
    if not fills:
        return None, None
    return (
        total(f["w"] * value(f) for f in fills) / total(f["w"] for f in fills),
        total(value(f) for f in fills) / len(fills),
    )


def clv(fills):
    before = [f for f in fills if f["phase"] == "prematch"]
    known = [f for f in before if f["fc"] is not None]
    points, plain = mean_of(known, lambda f: f["fc"] - f["c"])
    share, plain_share = mean_of(known, lambda f: 1 if f["fc"] > f["c"] else 0)
    return {
        "dollars": total(f["w"] * (f["fc"] - f["c"]) for f in known) if known else None,
        "points": points,
        "share": share,
        "plainPoints": plain,
        "plainShare": plain_share,
        "fills": len(known),
        "unknown": len(before) - len(known),
    }


WEIGHTS = {"payout": lambda f: f["w"], "stake": lambda f: f["risk"], "plain": lambda f: 1}


def means_by_weight(fills, value):
    """A mean by what a fill pays if it wins, by its stake, and with each fill once."""
    return {name: ratio(total(w(f) * value(f) for f in fills), total(map(w, fills))) for name, w in WEIGHTS.items()}


def by_weight(fills):
    """Points of price then - own price, and the share above the close, over the fills for which the price is known."""
    closed = [f for f in fills if f["phase"] == "prematch" and f["fc"] is not None]

    def points(price):
        return means_by_weight([f for f in fills if price(f) is not None], lambda f: price(f) - f["c"])

    return {
        "edge": points(edge_price),
        "clv": means_by_weight(closed, lambda f: f["fc"] - f["c"]),
        "aboveClose": means_by_weight(closed, lambda f: 1 if f["fc"] > f["c"] else 0),
        "markouts": {f"{tau}s": points(lambda f: f["marks"].get(tau)) for tau in TAUS},
    }


def edge_price(f):
    """What judges a fill: the close before the start, the price 300 s later in play."""
    return f["fc"] if f["phase"] == "prematch" else f["marks"].get(300)


def known_share(known, fills):
    """Whose share of the payout a figure covers, as `known` of the report shows it."""
    return {
        "fills": len(known),
        "ofFills": len(fills),
        "payoutShare": ratio(total(f["w"] for f in known), total(f["w"] for f in fills)),
    }


def markouts(fills):
    money, weighted, plain, known = {}, {}, {}, {}
    for tau in (*TAUS, "close"):
        name = "close" if tau == "close" else f"{tau}s"
        group = [f for f in fills if f["phase"] == "prematch"] if tau == "close" else fills
        price = (lambda f: f["fc"]) if tau == "close" else (lambda f: f["marks"].get(tau))
        there = [f for f in group if price(f) is not None]
        money[name] = total(f["w"] * (price(f) - f["c"]) for f in there) if there else None
        weighted[name], plain[name] = mean_of(there, lambda f: price(f) - f["c"])
        known[name] = known_share(there, group)
    return money, weighted, plain, known


def own_price(f):
    """The own fair price at the fill: the intent's, else the consensus."""
    return f["own"] if f.get("own") is not None else f["f0"]


def picked(f):
    """Late: its price had moved a point or more against the order: the own one if both its prices are known, else that of the
    book. Without a price 5 s before, no move is known."""
    is_own = f.get("own_past") is not None and f.get("own") is not None
    now, past = (f["own"], f["own_past"]) if is_own else (f["f0"], f["past"])
    if now is not None and past is not None and past - now >= 0.01 - 1e-9:
        return "latency"
    if now is None or f["marks"].get(60) is None:
        return "unknown"
    return "pricing" if f["marks"][60] < f["c"] else "rest"


def picked_off(fills):
    groups = defaultdict(list)
    for f in fills:
        groups[picked(f)].append(f)
    answer = {"unknown": {"fills": len(groups["unknown"])}}
    for name in ("latency", "pricing", "rest"):
        known = [f for f in groups[name] if f["marks"].get(60) is not None]
        answer[name] = {
            "fills": len(groups[name]),
            "money60s": total(f["w"] * (f["marks"][60] - f["c"]) for f in known) if known or not groups[name] else None,
        }
    return answer


# ---- attribution -----------------------------------------------------------------------------------------------------
def bucket(value, name):
    """Whether a value is in the bucket of a row's name: `under 1 s`, `1 to 5 s`, `over .60`, `-300 to -50 $`."""
    text = re.search(r"^(?:under (-?[\d.]+)|over (-?[\d.]+)|(-?[\d.]+) to (-?[\d.]+))", name)
    if text is None or value is None:
        return False
    under, over, low, high = text.groups()
    if under is not None:
        return value < float(under)
    if over is not None:
        return value >= float(over)
    return float(low) <= value < float(high)


def line_key(f):
    """The line as the backed side has it (docs/design/figures.md)."""
    if f["type"] == "moneyline":
        return "moneyline"
    return f"{f['type']} {f['line']:+g}" if f["type"] == "spread" else f"{f['type']} {f['line']:g}"


def inventory_before(f):
    """How much more the market paid on the backed side than on the other, before the fill."""
    if f["held"] is None:
        return None
    first, second = f["held"]
    return first - second if f["first"] else second - first


VALUES = {
    "hour": lambda f: (f["start"] - f["t"]) / 3_600_000,
    "favourite": lambda f: f["f0"],
    "age": lambda f: None if f["age_ms"] is None else f["age_ms"] / 1000,
    "inventory": inventory_before,
    "queue": lambda f: f["ahead"],
}
KEYS = {
    "market": lambda f: f["market"],
    "game": lambda f: f["game"],
    "league": lambda f: f["league"],
    "type": lambda f: f["type"],
    "line": line_key,
    "strategy": lambda f: f["strategy"],
}


def key_of(f, kind, names, day_of):
    if kind in KEYS:
        return KEYS[kind](f)
    if kind == "day":
        return day_of(f["t"])
    if kind == "hour" and f["phase"] == "inplay":
        return "in play"
    value = VALUES[kind](f)
    fitting = [name for name in names if bucket(value, name)]
    return fitting[0] if fitting else "unknown"


def attribution(fills, theirs, day_of):
    """The rows by key. Names of buckets come from the report, whose edges are in their names."""
    answer = {}
    for kind in theirs:
        groups = defaultdict(list)
        names = [row["key"] for row in theirs[kind]]
        for f in fills:
            groups[key_of(f, kind, names, day_of)].append(f)
        answer[kind] = {}
        for key, rows in groups.items():
            parts = identity(rows)
            by = clv(rows)
            marks = markouts(rows)[0]
            answer[kind][key] = {
                "key": key,
                "fills": len(rows),
                "risk": total(f["risk"] for f in rows),
                **{name: parts[name] for name in ("spread", "drift", "luck", "commission", "pnl", "unpriced", "unpricedPnl")},
                "clv": by["dollars"],
                "markout60s": marks["60s"],
                "markout300s": marks["300s"],
            }
    return answer


# ---- chance ----------------------------------------------------------------------------------------------------------
def games_of(fills):
    games = defaultdict(list)
    for f in fills:
        games[f["game"]].append(f)
    return games


def sums_by_game(fills, value):
    """The sum of each game with the value known for all its fills: a part of a game is no game like these."""
    games = [[value(f) for f in rows] for rows in games_of(fills).values()]
    return [total(values) for values in games if None not in values]


def edge_of(f):
    return None if edge_price(f) is None else f["w"] * (edge_price(f) - f["c"])


def games_needed(fills):
    """How many games like these until the 95 % interval of the edge leaves 0, from the deviation over games; 30 at least."""
    edges = sums_by_game(fills, edge_of)
    if len(edges) < 2:
        return None
    mean = total(edges) / len(edges)
    if mean == 0:
        return None
    variance = total((edge - mean) ** 2 for edge in edges) / (len(edges) - 1)
    return max(30, math.ceil(1.96**2 * variance / mean**2))


def luck_deviation(fills):
    """The deviation of the result under the closing prices.

    Moneyline and spreads of a game are bets on one margin: the side that wins at a harder line wins at the easier one, so
    two of them both win with the smaller of both probabilities. Totals likewise, independent of the margin.
    """
    variance, markets, unpriced = [], set(), set()
    for rows in games_of(fills).values():
        for is_total in (False, True):
            held, price = defaultdict(float), {}
            for f in rows:
                if (f["type"] == "total") != is_total:
                    continue
                if f["fc"] is None:
                    unpriced.add(f["market"])
                    continue
                markets.add(f["market"])
                price[f["market"]] = f["fc"] if f["first"] else 1 - f["fc"]
                held[f["market"]] += f["w"] if f["first"] else -f["w"]
            for a in held:
                for b in held:
                    together = min(price[a], price[b]) - price[a] * price[b]
                    variance.append(held[a] * held[b] * together)
    return math.sqrt(max(0, total(variance))), len(markets), len(unpriced)


def scores(fills):
    known = [f for f in fills if f["y01"] is not None and own_price(f) is not None and f["fc"] is not None]
    size = len(known)
    if size == 0:
        nothing = [{"fills": 0, "price": None, "won": None}] * 10
        return {"fills": 0, "fair": None, "close": None, "difference": None, "reliability": nothing}
    own = own_price

    def brier(price):
        return total((price(f) - f["y01"]) ** 2 for f in known) / size

    def log_loss(price):
        return -total(math.log(price(f) if f["y01"] == 1 else 1 - price(f)) for f in known) / size

    close = lambda f: f["fc"]
    differences = [(close(f) - f["y01"]) ** 2 - (own(f) - f["y01"]) ** 2 for f in known]
    by_game = defaultdict(float)
    mean = total(differences) / size
    for f, d in zip(known, differences):
        by_game[f["game"]] += d - mean
    games = len(by_game)
    deciles = [[f for f in known if min(9, int(close(f) * 10 + 1e-12)) == index] for index in range(10)]
    return {
        "fills": size,
        "fair": {"brier": brier(own), "logLoss": log_loss(own)},
        "close": {"brier": brier(close), "logLoss": log_loss(close)},
        "difference": {
            "brier": mean,
            # over games, as every interval: the sums of games are independent, fills of one game are not
            "error": None if games < 2 else math.sqrt(total(d * d for d in by_game.values()) * games / (games - 1)) / size,
        },
        "reliability": [
            {
                "fills": len(rows),
                "price": ratio(total(close(f) for f in rows), len(rows)),
                "won": ratio(total(f["y01"] for f in rows), len(rows)),
            }
            for rows in deciles
        ],
    }
