"""Runs backtests."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .command import run
from .tables import read_fills, read_orders, read_quotes, read_series

Value = Union[str, int, float, bool]


class Backtest:
    """The results of a backtest, in their folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.result: Dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))

    @property
    def fills(self) -> Any:
        """A row for each fill, of all scenarios."""
        return read_fills(self.folder)

    @property
    def orders(self) -> Any:
        """A row for each submitted order; it needs `journal=True`. With `orders=True` alone: those that rested."""
        return read_orders(self.folder)

    @property
    def quotes(self) -> Any:
        """A row for each order that rested; it needs `orders=True` or `journal=True`."""
        return read_quotes(self.folder)

    @property
    def series(self) -> Any:
        """A row for each value that a strategy logged with `log.series`."""
        return read_series(self.folder)

    @property
    def report(self) -> Dict[str, Any]:
        """Every figure, as `report --json` prints it."""
        return json.loads(run(["report", str(self.folder), "--json"]))


def run_backtest(
    config: Union[str, Path],
    *,
    tape: Union[str, Path, Sequence[Union[str, Path]]],
    out: Optional[Union[str, Path]] = None,
    params: Optional[Mapping[str, Value]] = None,
    **flags: Union[Value, Path, Sequence[Value]],
) -> Backtest:
    """Backtests a configuration.

    tape: one or several tapes or folders of them. out: the folder of the results; a temporary one by default. params:
    parameters of strategies, such as {"main.edge": 0.02}. flags: those of the command, such as results="scores.json",
    fills="pessimistic", signal_latency="250ms", journal=True; one that ends with _ is a word of Python: from_="20h".
    """
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="oddsmaker-backtest-"))
    args: List[str] = ["backtest", str(config), "--out", str(folder)]
    for name in [tape] if isinstance(tape, (str, Path)) else tape:
        args += ["--tape", str(name)]
    for key, value in (params or {}).items():
        args += ["--vary", f"{key}={_text(value)}"]
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            args.append(flag)
        elif value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                args += [flag, _text(one)]
    run(args)
    return Backtest(folder / "1" if params else folder)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
