"""A running bot: sends it signals, and receives its events."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Union

TIMEOUT_S = 30


class ClientError(Exception):
    """The bot refused a request, or did not answer. `status` is its HTTP status; None without an answer."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class Bot:
    """A bot at the address of its admin port (`ops.port`)."""

    def __init__(self, url: str, token_file: Union[str, Path]) -> None:
        self.url = url.rstrip("/")
        self._token_file = Path(token_file)
        self.signals = Signals(self)

    def request(self, path: str, body: Any = None) -> Any:
        """Sends a request; with a body as POST. Returns the open answer, which the caller closes."""
        # read each time: a restarted bot has another token
        token = self._token_file.read_text(encoding="utf-8").strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        try:
            return urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers), timeout=TIMEOUT_S)
        except urllib.error.HTTPError as error:
            with error:
                raise ClientError(f"{path}: {error.code}: {_reason(error.read())}", error.code) from None
        except (urllib.error.URLError, OSError) as error:
            raise ClientError(f"{self.url} does not answer: {error}") from None

    def status(self) -> Dict[str, Any]:
        """The state of the bot, as `ctl status` shows it."""
        with self.request("/status") as answer:
            return json.load(answer)

    def events(
        self,
        types: Union[str, Sequence[str]] = "all",
        after: Optional[int] = None,
        books: Sequence[str] = (),
    ) -> Iterator[Dict[str, Any]]:
        """The events of the bot as they happen (`GET /api/events`), without an end.

        types: names of events such as "Fill", or "all". after: the sequence number of the last event that was received.
        books: markets whose books are sent as well.
        """
        query = {"format": "ndjson", "types": types if isinstance(types, str) else ",".join(types)}
        if after is not None:
            query["after"] = str(after)
        if books:
            query["books"] = ",".join(books)
        with self.request("/api/events?" + urllib.parse.urlencode(query)) as answer:
            for line in answer:
                if line.strip():
                    yield json.loads(line)


class Signals:
    """Sends numbers to the strategies of a bot."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def push(
        self,
        values: Mapping[str, Optional[float]],
        ttl: Union[str, int, None] = None,
        ts: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Sends signals by name; None withdraws one.

        ttl: how long they are valid, "30s" or milliseconds. ts: the time for which they hold, Unix ms.
        Returns {"accepted": number, "unknown": names that no strategy reads}.
        """
        message: Dict[str, Any] = {"values": dict(values)}
        if ttl is not None:
            message["ttl"] = ttl
        if ts is not None:
            message["ts"] = ts
        with self._bot.request("/api/signals", message) as answer:
            return json.load(answer)


def connect(url: str, token_file: Union[str, Path]) -> Bot:
    """A bot at an address. The token is read from its file, so that no notebook holds it."""
    if not Path(token_file).is_file():
        raise ClientError(f"{token_file}: there is no such file (a bot writes its token beside its journal)")
    return Bot(url, token_file)


def _reason(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError):
        return body.decode("utf-8", "replace")[:200]
