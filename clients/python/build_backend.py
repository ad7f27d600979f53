"""Builds the wheel of `oddsmaker-client`, with the standard library alone: python3 build_backend.py FOLDER.

It is also the build backend of pyproject.toml (PEP 517), so that pip installs this folder without a network.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).resolve().parent
NAME = "oddsmaker_client"
#: The bytes of a wheel do not depend on the time of its files.
TIME = (2020, 1, 1, 0, 0, 0)


def version() -> str:
    """The version of the package that this client is a part of."""
    return str(json.loads((HERE / ".." / ".." / "package.json").read_text(encoding="utf-8"))["version"])


def build_wheel(folder: str, config_settings: Optional[Dict[str, Any]] = None, metadata: Optional[str] = None) -> str:
    """Writes the wheel into a folder and returns its file name."""
    name = f"{NAME}-{version()}-py3-none-any.whl"
    info = f"{NAME}-{version()}.dist-info"
    files = {f"oddsmaker/{path.name}": path.read_bytes() for path in sorted((HERE / "oddsmaker").iterdir()) if path.is_file()}
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: oddsmaker-client\nVersion: {version()}\n"
        "Summary: The client of the market-making bot oddsmaker\nRequires-Python: >=3.9\n"
    ).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: oddsmaker\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows: List[str] = [f"{path},sha256={_hash(content)},{len(content)}" for path, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    Path(folder).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(zipfile.ZipInfo(path, TIME), content, zipfile.ZIP_DEFLATED)
    return name


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    out = sys.argv[1] if len(sys.argv) > 1 else "dist"
    print(f"{out}/{build_wheel(out)}")
