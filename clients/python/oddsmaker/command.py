"""Runs the command `oddsmaker`."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import List, Sequence


class CommandError(Exception):
    """The command ended with an error. `code` is its exit code, `stderr` what it printed."""

    def __init__(self, args: Sequence[str], code: int, stderr: str) -> None:
        super().__init__(f"{shlex.join(args)} ended with {code}: {stderr.strip()}")
        self.code = code
        self.stderr = stderr


def command() -> List[str]:
    """The command: `ODDSMAKER` of the environment, else the nearest installed package or checkout, else the one on the
    path.
    """
    given = os.environ.get("ODDSMAKER")
    if given:
        return shlex.split(given)
    here = Path.cwd()
    for folder in (here, *here.parents):
        installed = folder / "node_modules" / ".bin" / "oddsmaker"
        if installed.exists():
            return [str(installed)]
        checkout = folder / "bin" / "oddsmaker.js"
        if checkout.exists():
            return ["node", str(checkout)]
    found = shutil.which("oddsmaker")
    if found is None:
        raise CommandError(["oddsmaker"], 127, "it is not installed: npm install it in this folder, or set ODDSMAKER")
    return [found]


def run(args: Sequence[str]) -> str:
    """Runs `oddsmaker` with these arguments and returns its standard output."""
    line = [*command(), *args]
    ended = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if ended.returncode != 0:
        raise CommandError(line, ended.returncode, ended.stderr)
    return ended.stdout
