"""The client of the market-making bot oddsmaker, for notebooks and models in Python.

    bot = oddsmaker.connect("http://127.0.0.1:9464", token_file="data/journal/demo.page-token")
    bot.signals.push({"fair:60b8d0/moneyline": 0.53}, ttl="30s")
    fills = oddsmaker.read_fills("out")
    run = oddsmaker.run_backtest("bot.yaml", tape="tapes", params={"main.edge": 0.02})

It needs Python 3.9 and its standard library alone. Tables are pandas data frames where pandas is installed, else polars
data frames where polars is, else lists of dicts.
"""

from .backtest import Backtest, run_backtest
from .bot import Bot, ClientError, Signals, connect
from .command import CommandError
from .tables import read_books, read_events, read_fills, read_marks, read_orders, read_quotes, read_series

__all__ = [
    "Backtest",
    "Bot",
    "ClientError",
    "CommandError",
    "Signals",
    "connect",
    "read_books",
    "read_events",
    "read_fills",
    "read_marks",
    "read_orders",
    "read_quotes",
    "read_series",
    "run_backtest",
]
