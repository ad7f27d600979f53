"""The others' book of every market over time, and its fair price, from the frames of a tape or a journal.

Definitions: docs/design/trade.md, "Fair price and edge" (the consensus) and docs/design/figures.md, "One fill" (own
offers, and what own orders took, are not in the book). Nothing here is taken from src.
"""
import bisect
import json
import math
from datetime import datetime

MAX_SPREAD = 0.08
MIN_DEPTH = 50.0
NEAR_BEST = 0.01
# what two floats that stand for the same decimal number may differ by
EPS = 1e-9
# dollars: less than this is nothing, since stakes are rounded to micro-dollars and then multiplied by the odds
DUST = 1e-3


def probability(odds):
    """The implied probability of American odds (trade.md, "An offer")."""
    return 100 / (100 + odds) if odds > 0 else -odds / (100 - odds)


def ms_of(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


def number(text):
    """A line as the id of a market has it: no trailing .0."""
    value = float(text)
    return str(int(value)) if value == int(value) else repr(value)


def consensus(first, second):
    """The microprice of two ladders of (probability, payout); None for a one-sided, wide or thin book."""
    if not first or not second:
        return None
    q_h, q_a = max(q for q, _ in first), max(q for q, _ in second)
    spread = 1 - q_h - q_a
    if spread > MAX_SPREAD + EPS or spread <= EPS:
        return None
    # only offers within maxSpread of the best opposite offer count for the depth
    if sum(w for q, w in first if 1 - q_a - q <= MAX_SPREAD + EPS) < MIN_DEPTH - 1e-6:
        return None
    if sum(w for q, w in second if 1 - q_h - q <= MAX_SPREAD + EPS) < MIN_DEPTH - 1e-6:
        return None
    s_h = sum(w for q, w in first if q >= q_h - NEAR_BEST - EPS)
    s_a = sum(w for q, w in second if q >= q_a - NEAR_BEST - EPS)
    return (q_h * s_a + (1 - q_a) * s_h) / (s_h + s_a)


def sides_of(market):
    return ("over", "under") if "/total/" in market else ("home", "away")


def other(side):
    return {"home": "away", "away": "home", "over": "under", "under": "over"}[side]


class Series:
    """What a value was over time: (time, order within the time, value), in order."""

    def __init__(self):
        self.keys, self.values = [], []

    def add(self, key, value):
        self.keys.append(key)
        self.values.append(value)

    def put(self, key, value):
        """Adds a value, in place of one of the same record."""
        self.drop(key)
        self.add(key, value)

    def drop(self, key):
        if self.keys and self.keys[-1] == key:
            self.keys.pop()
            self.values.pop()

    def last_before(self, key):
        index = bisect.bisect_left(self.keys, key)
        return self.values[index - 1] if index else None

    def last_until(self, key):
        index = bisect.bisect_right(self.keys, key)
        return self.values[index - 1] if index else None


class Game:
    def __init__(self):
        self.home = self.away = self.league = self.sport = None
        # a game with a parent is a part of it, and has the name of its period
        self.period = "full"
        self.start = None
        self.live = self.ended = False
        # the times at which the game went live, and its starts over time
        self.live_at = None
        self.starts = Series()


class Books:
    """All ladders of the venue, without own offers: the exchange marks their rows with `createdBy`."""

    def __init__(self, is_live_run=False):
        self.games, self.ladders = {}, {}
        # a bot quotes a market not from the announced start until the game is live, and not once it stops
        self.is_live_run = is_live_run
        self.is_stopped = False
        self.fair = {}
        # the same with None for a book that has no price: what a strategy sees
        self.seen = {}
        # what own orders left of an offer that crossed them: dollars of its stake by its id
        self.rest = {}
        # when each offer was made
        self.made_at = {}
        # the best probability of each ladder over time
        self.best = {}

    # ---- reading -------------------------------------------------------------------------------------------------
    def market_of(self, game, kind, side, line):
        if kind == "moneyline":
            return f"{game}/moneyline"
        if kind == "total":
            return f"{game}/total/{number(line)}"
        home = float(line) if side == "home" else -float(line)
        return f"{game}/spread/{number(home if home != 0 else 0)}"

    def put(self, market, side, rows, seen):
        ladder = {}
        for row in rows:
            if "createdBy" in row:
                continue
            ladder[row["id"]] = (probability(float(row["odds"])), float(row["sumUntaken"]))
            self.made_at[row["id"]] = ms_of(row["createdAt"])
        self.ladders[(market, side)] = ladder
        seen.add(market)

    def read_header(self, at, data):
        game = self.games.setdefault(data["id"], Game())
        for person in data.get("participants") or []:
            setattr(game, person["homeAway"], person["id"])
        game.league, game.sport = data.get("league", game.league), data.get("sport", game.sport)
        if data.get("parentGameID"):
            game.period = data.get("periodName")
        if data.get("start"):
            game.start = ms_of(data["start"])
            game.starts.add(at, game.start)
        if data.get("ended") is not None:
            game.ended = data["ended"]
        if data.get("live") is not None:
            if data["live"] and not game.live and game.live_at is None:
                game.live_at = at
            game.live = data["live"]

    def read_game(self, at, data, seen):
        self.read_header(at, data)
        gid = data["id"]
        for side in ("home", "away"):
            rows = data.get(f"{side}Moneylines")
            if rows is not None:
                self.put(f"{gid}/moneyline", side, rows, seen)
        for field, kind, side in (
            ("homeSpreads", "spread", "home"),
            ("awaySpreads", "spread", "away"),
            ("over", "total", "over"),
            ("under", "total", "under"),
        ):
            lines = data.get(field)
            if lines is None:
                continue
            named = {self.market_of(gid, kind, side, line): rows for line, rows in lines.items()}
            for market, there in [key for key in self.ladders]:
                if there == side and market.startswith(f"{gid}/{kind}/") and market not in named:
                    self.put(market, side, [], seen)
            for market, rows in named.items():
                self.put(market, side, rows, seen)

    def read_side(self, at, data, seen):
        gid, kind = data["gameID"], data["type"]
        game = self.games.get(gid)
        if game is None:
            return
        if kind == "total":
            side, line = data["OU"], data["total"]
        else:
            side = "home" if data["participantID"] == game.home else "away"
            line = data.get("spread")
        self.put(self.market_of(gid, kind, side, line), side, data["sideOrders"], seen)
        if data.get("live") and not game.live:
            game.live = True
            if game.live_at is None:
                game.live_at = at

    def read(self, key, record):
        """Applies one record of a tape; returns the markets that it touched."""
        seen = set()
        event, data = record.get("event", ""), record.get("data")
        if record.get("ns") == "rest" and "rderbook" in event:
            body = json.loads(data)["data"]
            for game in body.get("games") or ([body["game"]] if body.get("game") else []):
                self.read_game(key[0], game, seen)
        elif event == "gameUpdate":
            self.read_game(key[0], json.loads(data), seen)
        elif event == "orderUpdate":
            self.read_side(key[0], json.loads(data), seen)
        for market in seen:
            self.price(key, market)
        return seen

    def is_quoted(self, market, at):
        game = self.games.get(market.split("/")[0])
        if self.is_stopped:
            return False
        return not self.is_live_run or game is None or game.live or game.start is None or at < game.start

    # ---- prices --------------------------------------------------------------------------------------------------
    def others(self, market, side):
        rows = []
        for name in self.ladders.get((market, side), {}):
            q, left = self.left(market, side, name)
            if left > DUST:
                rows.append((q, left / q))
        return rows

    def left(self, market, side, name):
        """An offer's probability and rest: what the tape shows of it, or what own orders left of it if that is less."""
        q, left = self.ladders[(market, side)][name]
        return q, min(left, self.rest.get(name, left))

    def ahead(self, market, side, q, made_at):
        """Others' stake that is taken before an offer at a probability: better for the taker, or older at its price."""
        stakes = []
        for name in self.ladders.get((market, side), {}):
            theirs, left = self.left(market, side, name)
            if theirs > q + EPS or theirs > q - EPS and self.made_at[name] <= made_at:
                stakes.append(left)
        return math.fsum(stakes)

    def take(self, key, market, side, q, stake):
        """An own order at `q` of the other side takes a stake from the offers that cross it, best first."""
        names = self.ladders.get((market, side), {})
        crossing = [name for name in names if names[name][0] + q >= 1 - EPS]
        for name in sorted(crossing, key=lambda name: -names[name][0]):
            left = self.left(market, side, name)[1]
            part = min(left, stake)
            self.rest[name] = left - part
            stake -= part
        self.price(key, market)

    def price(self, key, market):
        ladders = [(side, self.others(market, side)) for side in sides_of(market)]
        for side, rows in ladders:
            self.best.setdefault((market, side), Series()).put(key, max((q for q, _ in rows), default=None))
        fair = consensus(*(rows for _, rows in ladders))
        series = self.fair.setdefault(market, Series())
        if fair is not None:
            series.put(key, fair)
        else:
            series.drop(key)
        if self.is_quoted(market, key[0]):
            self.seen.setdefault(market, Series()).put(key, fair)


