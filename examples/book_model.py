#!/usr/bin/env python3
"""A model outside the bot, run on recorded books: writes its prices as a tape of signals for a backtest.

    python3 examples/book_model.py TAPE SIGNALS.ndjson [--half-life 20]

The price of a market is the middle of the others' best offers of both sides, smoothed in log-odds with a half-life in
seconds. A price at a time is made of books of that time and before, so the backtest cannot see the future. Needs Python 3.9
and the client in clients/python.
"""

import argparse
import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients" / "python"))  # not needed where it is installed

import oddsmaker  # noqa: E402

FIRST = ("home", "over")


def rows_of(table):
    """The rows of a table, as lists of dicts or as a data frame."""
    return table if isinstance(table, list) else table.to_dict("records")


def books_of(tape):
    """(time in Unix ms, market, {side: best probability}) for each book of the tape, oldest first."""
    last, best = None, {}
    for row in rows_of(oddsmaker.read_books(tape)):
        now = (round(row["time"].timestamp() * 1000), row["market"])
        if now != last:
            if last is not None:
                yield (*last, best)
            last, best = now, {}
        if row["level"] == 1:
            best[row["side"]] = row["probability"]
    if last is not None:
        yield (*last, best)


def middle(best):
    """The probability of the first side; None when a side of the book is empty."""
    own = next((best[side] for side in best if side in FIRST), None)
    other = next((best[side] for side in best if side not in FIRST), None)
    return None if own is None or other is None else (own + 1 - other) / 2


class Smooth:
    """An average of log-odds that forgets half of the past in each half-life."""

    def __init__(self, half_life_s):
        self._half_life_ms = half_life_s * 1000
        self._value = self._time = None

    def add(self, time, p):
        x = math.log(p / (1 - p))
        if self._value is None:
            self._value = x
        else:
            keep = 0.5 ** ((time - self._time) / self._half_life_ms)
            self._value = keep * self._value + (1 - keep) * x
        self._time = time
        return 1 / (1 + math.exp(-self._value))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tape", help="a recorded tape of the market")
    parser.add_argument("signals", help="the tape of signals to write")
    parser.add_argument("--half-life", type=float, default=20.0, help="seconds, default 20")
    args = parser.parse_args()
    prices, count = {}, 0
    with open(args.signals, "w", encoding="utf-8") as out:
        for time, market, best in books_of(args.tape):
            p = middle(best)
            # null withdraws a price: without a book the model has none
            value = None if p is None else round(prices.setdefault(market, Smooth(args.half_life)).add(time, p), 6)
            data = {"values": {f"fair:{market}": value}, "ttl": "10m"}
            out.write(json.dumps({"ts": time, "ns": "signals", "event": "signal", "data": data}) + "\n")
            count += 1
    print(f"{count} prices of {len(prices)} markets in {args.signals}")


if __name__ == "__main__":
    main()
