"""The fills of a live run: their money from the events of its journal, their prices from the frames in the journal.

Times are those of the records, Unix ms: a frame counts from when the bot received it (docs/reference/journals.md).
"""
import json
from collections import defaultdict

from backtest import lines_of
from book import Books, ms_of, probability, sides_of
from figures import TAUS

# docs/report.md: a live run receives a fill and the book that it changed at almost the same moment
CAUSE_MS = 25


class Run:
    """What the bot received, record by record, and what its events say."""

    def __init__(self, journal, events):
        self.books = Books(is_live_run=True)
        self.events = list(lines_of(events))
        self.name = next(e["run"] for e in self.events if e["type"] == "RunStarted")
        self.resting_at = defaultdict(list)
        for event in self.events:
            if event["type"] == "OrderRested":
                self.resting_at[event["seq"]].append(event)
        stops = [e["seq"] for e in self.events if e["type"] == "StateChanged" and e["state"] == "stopping"]
        self.reads = {}
        # when the exchange made each own order, by its reference
        self.made_at = {}
        self.odds = {e["ref"]: e for e in self.events if e["type"] == "OrderSubmitted"}
        self.begin = None
        self.commission = {"of": "market", "share": 0}
        for record in lines_of(journal):
            if "journal" in record:
                self.commission = record["config"].get("commission", self.commission)
            if "in" in record:
                self.begin = self.begin or record["t"]
                self.end = record["t"]
                self.books.is_stopped = bool(stops) and record["seq"] >= stops[0]
                self.input((self.end, record["seq"]), record["in"])
                for event in self.resting_at.get(record["seq"], ()):
                    order = self.odds.get(event["ref"])
                    if order:
                        q = probability(order["odds"])
                        made_at = self.made_at.get(event["ref"], record["t"])
                        event["seen_ahead"] = self.books.ahead(order["market"], order["side"], q, made_at)
            for command in record.get("out", ()):
                if command["type"] == "read":
                    self.reads[command["req"]] = command["read"]

    def input(self, key, given):
        if given["type"] == "frame" and given["feed"] == "prices":
            self.books.read(key, {"event": given["event"], "data": given["data"]})
        elif given["type"] == "frame" and given["feed"] == "user":
            position = json.loads(given["data"])
            ref = (position.get("unmatched") or {}).get("userReference")
            if ref is not None and position.get("createdAt"):
                self.made_at.setdefault(ref, ms_of(position["createdAt"]))
        elif given["type"] == "reply" and given["req"] in self.reads and given["status"] == 200:
            body = given["body"]
            data = body.get("data") if isinstance(body, dict) else None
            if isinstance(data, dict) and ("games" in data or "game" in data):
                self.books.read(key, {"ns": "rest", "event": "getOrderbook", "data": json.dumps(body)})


def read_run(journal, events, own):
    """`own`: the fair price of the strategy by the consensus that it sees. An intent without one ends it."""
    run = Run(journal, events)
    run.own = own
    rested, ended, results = {}, {}, {}
    for event in run.events:
        if event["type"] == "OrderRested":
            if "ahead" not in rested.get(event["ref"], {}):
                rested[event["ref"]] = event
        elif event["type"] == "OrderEnded":
            ended[event["ref"]] = event
        elif event["type"] == "Settled":
            results[event["txId"]] = event
    fills, held = [], defaultdict(lambda: [0.0, 0.0])
    for event in run.events:
        if event["type"] == "Fill" and event["isOwn"]:
            fills.append(fill_of(event, run, rested, results, held))
    share_commission(fills, run.commission)
    orders = []
    for ref, event in rested.items():
        # an order counts once its place in the queue is known (docs/design/figures.md)
        if "ahead" not in event:
            continue
        sent, end = run.odds[ref], ended.get(ref)
        orders.append(
            {
                "ref": ref,
                "from": event["t"],
                "to": end["t"] if end else None,
                "market": sent["market"],
                "game": sent["market"].split("/")[0],
                "side": sent["side"],
                "first": sent["side"] == sides_of(sent["market"])[0],
                "q": probability(sent["odds"]),
                "risk": sent["risk"] / 100,
                "filled": end["filled"] if end else 0,
                "ended": {"cancel": "cancelled", "edit": "edited", "cancel-all": "cancelled"}.get(end["how"] if end else "", ""),
                # the bot ranks an order by when it was sent, the book by when the exchange made it: nearly always the same
                "book_ahead": event.get("seen_ahead"),
                "seen_ahead": event["ahead"] / 1e6,
                "phase": "inplay" if event.get("isInPlay") else "prematch",
            }
        )
    return run, fills, orders


def fill_of(event, run, rested, results, held):
    market = event["market"]
    kind = market.split("/")[1]
    line = float(market.split("/")[2]) if kind != "moneyline" else None
    first = event["side"] == sides_of(market)[0]
    game = run.books.games[event["gameId"]]
    series = run.books.fair.get(market)
    side = lambda price: None if price is None else price if first else 1 - price
    before = lambda at: side(series.last_before((at, 0))) if series else None
    seen = run.books.seen.get(market)
    own = lambda at: side(run.own(seen.last_before((at, 0)))) if seen else None
    t, c, risk = event["t"], probability(event["odds"]), event["risk"] / 1e6
    began = min(game.start, game.live_at if game.live_at is not None else game.start)
    settled = results.get(event["txId"])
    if t < began:
        # known once the game began
        fc, own_fc = (before(began), own(began)) if began <= run.end else (None, None)
    else:
        # the last price of the market: known when it is settled
        fc, own_fc = (before(settled["t"]), own(settled["t"])) if settled else (None, None)
    fill = {
        "tx": event["txId"],
        "ref": event["ref"],
        "t": t,
        "market": market,
        "game": event["gameId"],
        "league": event["game"]["league"],
        "period": game.period,
        "type": kind,
        "home_line": line,
        "line": None if line is None else -line if event["side"] == "away" else line,
        "side": event["side"],
        "first": first,
        "c": c,
        "risk": risk,
        "win": event["win"] / 1e6,
        "w": risk / c,
        "strategy": event["strategy"],
        "phase": "prematch" if t < began else "inplay",
        "start": game.starts.last_until(t),
        "f0": before(t - CAUSE_MS),
        "past": before(t - CAUSE_MS - 5000),
        "fc": fc,
        "marks": {tau: before(t + tau * 1000) if t + tau * 1000 <= run.end else None for tau in TAUS},
        "age_ms": t - rested[event["ref"]]["t"] if event["ref"] in rested else None,
        "ahead": event["ahead"] / 1e6 if "ahead" in event else None,
        "held": tuple(held[market]),
        "own": own(t - CAUSE_MS),
        "own_past": own(t - CAUSE_MS - 5000),
        "sources": {"own": {"f0": own(t - CAUSE_MS), "fc": own_fc}},
        "profit": None,
        "commission": 0.0,
        "y": None,
        "y01": None,
        "reported": event,
    }
    gain = (fill["win"], -risk) if first else (-risk, fill["win"])
    held[market] = [held[market][0] + gain[0], held[market][1] + gain[1]]
    if settled:
        fill["profit"] = settled["profit"] / 1e6
        fill["y"] = (fill["profit"] + risk) / fill["w"]
        won, lost = abs(fill["profit"] - fill["win"]) < 0.01, abs(fill["profit"] + risk) < 0.01
        fill["y01"] = 1 if won else 0 if lost else None
        fill["settled_t"] = settled["t"]
    return fill


def share_commission(fills, rule):
    """The exchange keeps a share of each winning play, or of what a market won net.

    A fill's part of the commission of its market is in proportion to what it won (docs/reference/ledger-tables.md,
    `settled_fills`).
    """
    if not rule["share"]:
        return
    markets = defaultdict(list)
    for fill in fills:
        if fill["profit"] is not None:
            markets[fill["market"]].append(fill)
    for rows in markets.values():
        won = sum(max(0, f["profit"]) for f in rows)
        base = won if rule["of"] == "win" else max(0, sum(f["profit"] for f in rows))
        for f in rows:
            f["commission"] = rule["share"] * base * max(0, f["profit"]) / won if won else 0.0
