"""Write the lines of conformance/logs as seeds of the target `log`.

python3 fuzz/log_seeds.py FOLDER       needs Python 3.11

Scope: each case once for each known format would be too many; the fuzzer changes the first byte,
which chooses the format.
"""

import sys
from pathlib import Path

import tomllib

CASES = Path(__file__).resolve().parent.parent / "conformance" / "logs" / "lines.toml"
FORMATS = (
    *("combined-with-host-and-port", "combined-with-host", "combined"),
    *("common-with-host-and-port", "common-with-host", "common", "w3c", "aws-alb", "caddy"),
    *("cloudflare", "traefik", "fastly", "nginx-json"),
)
"""The known formats, in the order of the core."""
BLOCK = 32


def main(folder: Path) -> None:
    """Write one file for each case."""
    for case in tomllib.loads(CASES.read_text(encoding="utf-8"))["case"]:
        name = case["format"]
        which = FORMATS.index(name) if name in FORMATS else len(FORMATS)
        seed = bytes([which, BLOCK]) + "\n".join(case["lines"]).encode()
        (folder / case["id"]).write_bytes(seed)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
