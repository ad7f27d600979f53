"""Bets of a table, with the prices that odds documents give them (docs/own-fills.md)."""
import csv
import json
import math
from bisect import bisect_left
from collections import defaultdict
from datetime import datetime, timezone

from backtest import paid
from figures import TAUS

LATE_CLOSE = 15 * 60_000
LEAGUES = {"basketball_nba": "NBA"}


def shin(decimals):
    """Shin's probabilities: the share z of insiders is such that they sum to 1."""
    raw = [1 / price for price in decimals]
    whole = sum(raw)

    def at(z):
        return [(math.sqrt(z * z + 4 * (1 - z) * q * q / whole) - z) / (2 * (1 - z)) for q in raw]

    low, high = 0.0, 0.9999999
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(at(middle)) > 1 else (low, middle)
    return at((low + high) / 2)


def averaged(probabilities):
    """The mean of several probabilities in log-odds."""
    mean = math.fsum(math.log(p / (1 - p)) for p in probabilities) / len(probabilities)
    return 1 / (1 + math.exp(-mean))


class Odds:
    """The fair price of each line of each event at the time of each document. None: no book quotes the line then."""

    def __init__(self, path):
        self.events, self.times, self.quotes = {}, defaultdict(list), defaultdict(list)
        with open(path, encoding="utf-8") as file:
            documents = sorted((json.loads(line) for line in file if line.strip()), key=lambda document: document["ts"])
        for document in documents:
            for event in document["data"]:
                self.events[event["id"]] = event
                self.times[event["id"]].append(document["ts"])
                self.quotes[event["id"]].append(event)

    def event_of(self, home, away, at):
        """The next event of these teams after a time."""
        fitting = [e for e in self.events.values() if e["home_team"] == home and e["away_team"] == away and start_of(e) > at]
        return min(fitting, key=start_of) if fitting else None

    def price(self, event, kind, line, index):
        """Of the first side (home, over), in the document with this index."""
        fair = []
        document = self.quotes[event][index]
        for book in document["bookmakers"]:
            for market in book["markets"]:
                if market["key"] != {"moneyline": "h2h", "spread": "spreads", "total": "totals"}[kind]:
                    continue
                first = "Over" if kind == "total" else document["home_team"]
                outcomes = sorted(market["outcomes"], key=lambda outcome: outcome["name"] != first)
                if kind != "moneyline" and outcomes[0]["point"] != line:
                    continue
                fair.append(shin([outcome["price"] for outcome in outcomes])[0])
        return averaged(fair) if fair else None


def start_of(event):
    return datetime.fromisoformat(event["commence_time"].replace("Z", "+00:00")).timestamp() * 1000


def key_of(event):
    start = datetime.fromtimestamp(start_of(event) / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{event['home_team']}|{event['away_team']}|{start}".replace(" ", "_")


OUTCOMES = {"W": 1, "L": 0, "P": None, "V": None, "won": 1, "lost": 0, "push": None, "void": None, "half won": (1, None), "half lost": (0, None)}


def read_bets(table, odds_file, results_file=None):
    odds = Odds(odds_file)
    results = {}
    if results_file:
        with open(results_file, encoding="utf-8") as file:
            results = json.load(file)
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    bets = [bet_of(row, number, odds, results) for number, row in enumerate(rows)]
    held = defaultdict(lambda: [0.0, 0.0])
    for bet in sorted(bets, key=lambda bet: (bet["t"], bet["tx"])):
        first, second = held[bet["market"]]
        bet["held"] = (first, second)
        gain = (bet["win"], -bet["risk"]) if bet["first"] else (-bet["risk"], bet["win"])
        held[bet["market"]] = [first + gain[0], second + gain[1]]
    return bets


def bet_of(row, number, odds, results):
    t = datetime.fromisoformat(row["Placed"].replace("Z", "+00:00")).timestamp() * 1000
    away, home = row["Event"].split(" @ ")
    event = odds.event_of(home, away, t)
    name, start = event["id"], start_of(event)
    side = row["Bet"]
    if side in ("Over", "Under"):
        kind, first, line = "total", side == "Over", float(row["Line"])
        home_line = line
    else:
        first = side == home
        kind = "spread" if row["Line"] else "moneyline"
        line = float(row["Line"]) if row["Line"] else None
        home_line = line if first or line is None else -line
    price = float(row["Price"])
    # American odds are at least 100
    c = (100 / (100 + price) if price > 0 else -price / (100 - price)) if abs(price) >= 100 else 1 / price
    risk = float(row["Stake"].strip("$"))
    times = odds.times[name]
    backed = lambda p: None if p is None else p if first else 1 - p
    quoted = lambda index: backed(odds.price(name, kind, home_line, index)) if index is not None else None
    newest = lambda at: bisect_left(times, at) - 1 if bisect_left(times, at) > 0 else None
    close = newest(start)
    if close is not None and times[close] < t and start - times[close] > LATE_CLOSE:
        close = None
    marks, used = {}, [newest(t), close]
    for tau in TAUS:
        to = t + tau * 1000
        # known if a document was fetched after the bet and within its time, and the start is not passed
        index = newest(to + 1)
        index = index if index is not None and times[index] >= t and (to < start or t >= start) else None
        used.append(index)
        marks[tau] = quoted(index)
    outcome, is_settled = None, False
    if row["Result"]:
        outcome, is_settled = OUTCOMES[row["Result"]], True
    elif name in results:
        outcome, is_settled = decided(results[name], kind, home_line, first), True
    y = paid(outcome, c) if is_settled else None
    slug = key_of(event)
    past = newest(t - 5000)
    return {
        "tx": number,
        "ref": None,
        "t": t,
        "market": f"{slug}/moneyline" if kind == "moneyline" else f"{slug}/{kind}/{home_line:g}",
        "game": slug,
        "league": LEAGUES[event["sport_key"]],
        "type": kind,
        "line": line,
        "first": first,
        "c": c,
        "risk": risk,
        "win": risk / c - risk,
        "w": risk / c,
        "phase": "prematch" if t < start else "inplay",
        "start": start,
        "strategy": row["Tag"],
        "f0": quoted(newest(t)),
        "past": quoted(past),
        "fc": quoted(close),
        "marks": marks,
        "y": y,
        "y01": outcome if is_settled and outcome in (0, 1) and not isinstance(outcome, tuple) else None,
        "profit": risk / c * y - risk if is_settled else None,
        "commission": 0.0,
        "age_ms": None,
        "ahead": None,
        "sources": {},
        # whether some book quotes the line whenever a price of the bet is needed
        "is_quoted": all(quoted(index) is not None for index in used if index is not None),
    }


def decided(result, kind, home_line, first):
    if result.get("void"):
        return None
    margin, points = result["home"] - result["away"], result["home"] + result["away"]
    value = margin + (home_line or 0) if kind != "total" else points - home_line
    value = value if first else -value
    return 1 if value > 0 else 0 if value < 0 else None


def select(table, odds_file, to):
    """Writes the bets whose line some book quotes at every time that counts: the others need the model of the game."""
    with open(table, encoding="utf-8", newline="") as file:
        text = file.read().splitlines()
    bets = read_bets(table, odds_file)
    kept = [line for line, bet in zip(text[1:], bets) if bet["is_quoted"]]
    with open(to, "w", encoding="utf-8", newline="") as file:
        file.write("\n".join([text[0], *kept]) + "\n")
    return len(kept)


def drawdown(bets):
    """The largest fall of the result. No table says when a bet was settled: it counts at the start of its game."""
    sums = defaultdict(float)
    for bet in bets:
        if bet["profit"] is not None:
            sums[max(bet["start"], bet["t"])] += bet["profit"] - bet["commission"]
    result, peak, fall = 0.0, 0.0, 0.0
    for at in sorted(sums):
        result += sums[at]
        peak = max(peak, result)
        fall = max(fall, peak - result)
    return fall
