"""Reads tables: CSV files, JSON lines, Parquet where pyarrow is installed, and what `oddsmaker export` makes of results,
journals and tapes."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Union

from .command import run

Rows = List[Dict[str, Any]]
Source = Union[str, Path]

# columns that a table of its kind has, whatever wrote it
_COLUMNS = {
    "fills": ("market", "side", "odds", "risk"),
    "orders": ("market", "side", "odds", "risk"),
    "quotes": ("market",),
    "marks": ("time", "market", "fair"),
    "books": ("time", "market", "side", "level"),
    "series": ("time", "strategy", "name", "value"),
    "events": ("seq", "type", "fields"),
}

# columns that name things, also where the names look like numbers
_TEXT = {"scenario", "run", "game", "event", "league", "market", "side", "strategy", "order", "tx", "ref", "key"}
_TEXT |= {"type", "cause", "reason", "role", "id", "said", "sport", "period", "name", "replaces", "fields"}
_NAMES = re.compile(r"(?:^|_)(?:id|ref|as)$")
_IDS = re.compile(r"^(?:scenario|run|game|market|strategy|order|tx|ref|key|replaces)$|(?:^|_)(?:id|ref)$")
_NUMBER = re.compile(r"^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$", re.IGNORECASE)
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$")
# a text that a spreadsheet would run as a formula is written with an apostrophe
_GUARDED = re.compile(r"^'+[=+\-@\t\r]")


def read_fills(source: Source) -> Any:
    """The fills of results, a journal, a folder of journals, or a file of them."""
    return _read(source, "fills")


def read_orders(source: Source) -> Any:
    """The submitted orders."""
    return _read(source, "orders")


def read_quotes(source: Source) -> Any:
    """The orders that rested: from when to when, and at which price."""
    return _read(source, "quotes")


def read_marks(source: Source) -> Any:
    """The prices of markets over time, with the position and its value."""
    return _read(source, "marks")


def read_books(source: Source, levels: int = 5) -> Any:
    """The price levels of the books of a tape or journal, at most `levels` a side."""
    return _read(source, "books", ["--levels", str(levels)])


def read_series(source: Source) -> Any:
    """The values that strategies logged with `log.series`."""
    return _read(source, "series")


def read_events(source: Source) -> Any:
    """The events of a journal; `fields` of each is a dict."""
    rows = _rows(source, "events", [])
    for row in rows:
        if isinstance(row.get("fields"), str):
            row["fields"] = json.loads(row["fields"])
    return as_frame(rows)


def _read(source: Source, what: str, flags: Iterable[str] = ()) -> Any:
    path = Path(source)
    if path.suffix == ".parquet":
        return _read_parquet(path, what)
    return as_frame(_rows(path, what, flags))


def _rows(source: Source, what: str, flags: Iterable[str]) -> Rows:
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder")
    if path.suffix in (".csv", ".jsonl"):
        rows = read_csv(path) if path.suffix == ".csv" else read_jsonl(path)
        if rows:
            _check(path, what, rows[0])
        return rows
    if what in ("fills", "series") and (path / f"{what}.csv").is_file():
        return read_csv(path / f"{what}.csv")
    with tempfile.TemporaryDirectory(prefix="oddsmaker-") as folder:
        out = Path(folder) / f"{what}.jsonl"
        run(["export", str(path), "--what", what, "--format", "jsonl", "--out", str(out), *flags])
        return read_jsonl(out)


def _check(path: Path, what: str, columns: Iterable[str]) -> None:
    has = list(columns)
    missing = [name for name in _COLUMNS[what] if name not in has]
    if missing:
        raise ValueError(
            f"{path}: this is no table of {what}: it has no column {', '.join(missing)}; its columns are {', '.join(has)}"
        )


def read_csv(path: Path) -> Rows:
    """The rows of a CSV file of oddsmaker, with the types of its columns; empty cells are None."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    if not rows:
        return []
    names, cells = rows[0], rows[1:]
    columns = [_column(name, [row[index] for row in cells]) for index, name in enumerate(names)]
    return [dict(zip(names, values)) for values in zip(*columns)] if columns else []


def read_jsonl(path: Path) -> Rows:
    """The rows of a file of JSON lines; ISO times become datetimes."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    for row in rows:
        for name, value in row.items():
            if isinstance(value, str) and name not in _TEXT and _TIME.match(value):
                row[name] = _time(value)
    return rows


def _column(name: str, cells: List[str]) -> List[Any]:
    known = [cell for cell in cells if cell != ""]
    kind: Callable[[str], Any] = str
    if not (name in _TEXT or _NAMES.search(name)) and known:
        if all(_TIME.match(cell) for cell in known):
            kind = _time
        elif all(_NUMBER.match(cell) for cell in known):
            kind = int if all(cell.lstrip("-").isdigit() for cell in known) else float
        elif all(cell in ("true", "false") for cell in known):
            kind = "true".__eq__
    elif not _IDS.search(name):
        kind = _unguarded
    return [None if cell == "" else kind(cell) for cell in cells]


def _unguarded(cell: str) -> str:
    return cell[1:] if _GUARDED.match(cell) else cell


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)


def _read_parquet(path: Path, what: str) -> Any:
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder")
    try:
        import pyarrow.parquet as parquet  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError(f"{path}: Parquet needs pyarrow; export it with --format csv or jsonl") from None
    table = parquet.read_table(path)
    _check(path, what, table.column_names)
    pandas = _module("pandas")
    return table.to_pandas() if pandas is not None else as_frame(table.to_pylist())


def as_frame(rows: Rows) -> Any:
    """The rows as a data frame of pandas, else of polars, else as they are."""
    pandas = _module("pandas")
    if pandas is not None:
        return pandas.DataFrame(rows)
    polars = _module("polars")
    return polars.DataFrame(rows) if polars is not None else rows


def _module(name: str) -> Optional[Any]:
    try:
        return __import__(name)
    except ImportError:
        return None
