#!/usr/bin/env bash
# With pytest 9.2, pytest-xdist 3.8 (both the newest of 2026-11-30) gives tests of one `xdist_group` to several
# workers: `--dist loadgroup` is accepted and says nothing. xdist writes the name of the group behind the node id
# (`_nodeid`), and that pytest reads another attribute. One would have guessed that the tests of a group run in one
# worker, as the documentation says and as they do with pytest 8.4, or that the pair refuses to be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/test_group.py" <<'END'
import os, pathlib, time
import pytest

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("number", range(8))
def test_one(number):
    with pathlib.Path(os.environ["WORKERS_SEEN"]).open("a") as seen:
        seen.write(os.environ["PYTEST_XDIST_WORKER"] + "\n")
    time.sleep(0.2)
END
status=0
# The version of pytest, and how many workers are expected to run the tests of the group.
check() {
    local pytest=$1 expected=$2 venv="$folder/venv-$1"
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check "pytest==$pytest" pytest-xdist==3.8.0
    export WORKERS_SEEN="$folder/seen-$pytest"
    (cd "$folder" && "$venv/bin/python" -m pytest -q -p no:cacheprovider -n 2 --dist loadgroup test_group.py >log 2>&1) || { cat "$folder/log"; status=1; }
    local workers
    workers=$(sort -u "$WORKERS_SEEN" | wc -l)
    echo "pytest $pytest, pytest-xdist 3.8.0: 8 tests of one group, run by $workers worker(s) (guessed: 1)"
    [ "$workers" = "$expected" ] || { echo "  changed: expected $expected"; status=1; }
}
check 8.4.2 1
check 9.2.0 2
exit $status
