"""`goodbot tables verdicts`, as a whole program."""

import io
import json
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import goodbot
from goodbot.cli import program
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.errors import StoreFullError
from goodbot.tables.columns import use_verdicts
from goodbot.tables.columns.use_verdicts import USE_COLUMNS
from goodbot.tables.verbs import verdicts as verb
from goodbot.tables.verbs.table_runs import run_progress
from goodbot.tables.writing import UrlColumns, VerdictProgress, VerdictSummary, write_verdicts
from tests.support.columns.captures import TIMES, URLS, UTC, policies
from tests.support.live_sites import ask

ARGS = ("--urls", "urls.parquet", "--policies", "policies.parquet", "--at", "fetched")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a folder with URLs and policies."""
    pq.write_table(policies(), tmp_path / "policies.parquet")
    table = pa.table({"url": pa.array(URLS, pa.string()), "fetched": pa.array(TIMES, UTC)})
    pq.write_table(table, tmp_path / "urls.parquet")
    return tmp_path


def verdicts(here: Path, *words: str) -> tuple[int, str, str]:
    """Run the program in a folder."""
    return ask("tables", "verdicts", *words, cwd=str(here))


def test_the_output_and_its_summary(here: Path) -> None:
    """The file has the columns that were asked for; the summary has answers and reasons."""
    status, printed, said = verdicts(
        here, *ARGS, "--robot", "GPTBot", "-r", "CCBot", "-o", "out.parquet", "--explain"
    )
    assert (status, said) == (0, "")
    found = pq.read_table(here / "out.parquet")
    assert found.column_names[:3] == ["url", "fetched", "GPTBot"]
    assert {"CCBot:reason", "age"} < set(found.column_names)
    lines = [line.split() for line in printed.splitlines()]
    allowed = found["CCBot"].to_pylist().count(True)
    assert lines[0] == ["robot", "allowed", "disallowed", "unknown"]
    assert ["CCBot", str(allowed)] in [line[:2] for line in lines]
    assert ["reason", "GPTBot", "CCBot"] in lines
    assert "rule-disallows" in printed
    assert printed.endswith(
        "12 URLs of 1 file, judged as of fetched, written to out.parquet\n"
        f"by goodbot {goodbot.__version__}, with the policies of policies.parquet "
        "(dialect rfc9309)\n"
    )
    assert sorted(one.name for one in here.iterdir()) == [
        "out.parquet",
        "policies.parquet",
        "urls.parquet",
    ]


def test_the_uses_of_each_robot(here: Path) -> None:
    """--uses adds a column for each use and the level, and counts them in the summary."""
    table = policies()
    bodies = pa.array(
        [
            None
            if body is None
            else body + b"\nUser-agent: *\nContent-Signal: ai-train=no, use=full\n"
            for body in table["body"].to_pylist()
        ],
        pa.binary(),
    )
    table = table.set_column(table.column_names.index("body"), "body", bodies)
    pq.write_table(table, here / "policies.parquet")
    words = (*ARGS, "-r", "GPTBot", "-r", "CCBot", "--uses")
    status, printed, _ = verdicts(here, *words, "-o", "out.parquet")
    assert status == 0
    found = pq.read_table(here / "out.parquet")
    urls, times = pa.array(URLS, pa.string()), pa.array(TIMES, UTC)
    for robot in ("GPTBot", "CCBot"):
        expected = use_verdicts(urls, table, robot, times)
        own = found.select([f"{robot}:{name}" for name in USE_COLUMNS])
        assert own.rename_columns(USE_COLUMNS).to_pylist() == expected.to_pylist()
    reserved = found["GPTBot:train"].to_pylist().count("reserved")
    assert reserved
    lines = [line.split() for line in printed.splitlines()]
    assert ["train:", "reserved", str(reserved)] in [line[:3] for line in lines]
    (robot, _) = json.loads(verdicts(here, *words, "--json")[1])["robots"]
    assert robot["uses"]["train"]["reserved"] == reserved
    assert sum(robot["reasons"].values()) == len(URLS)
    clash = verdicts(here, *ARGS, "-r", "CCBot", "-r", "CCBot:train", "--uses")
    assert clash[0] == 2


def test_the_times_of_fetch_time(here: Path) -> None:
    """They are used without --at; --newest is the way to judge by the newest policies."""
    table = pq.read_table(here / "urls.parquet").rename_columns(["url", "fetch_time"])
    pq.write_table(table, here / "urls.parquet")
    words = (*ARGS[:4], "--robot", "CCBot")
    assert ", judged as of fetch_time\n" in verdicts(here, *words)[1]
    assert ", judged by the newest policies\n" in verdicts(here, *words, "--newest")[1]


def test_json(here: Path) -> None:
    """The summary is one object; without an output, nothing is written."""
    status, printed, _ = verdicts(here, *ARGS, "--robot", "CCBot", "--json")
    assert status == 0
    found = json.loads(printed)
    (robot,) = found["robots"]
    assert robot["allowed"] + robot["disallowed"] + robot["unknown"] == found["urls"] == len(URLS)
    assert sum(robot["reasons"].values()) == len(URLS)
    assert found["output"] is None
    stated = [found[one] for one in ("version", "dialect", "policies")]
    assert stated == [goodbot.__version__, "rfc9309", "policies.parquet"]
    assert len([*here.iterdir()]) == 2


def test_the_summary_of_a_sample_says_so(here: Path) -> None:
    """It has the number of all rows; a sample of all rows is none."""
    words = (*ARGS, "--robot", "CCBot", "--sample")
    assert (
        "\n5 of 12 URLs of 1 file, chosen by chance, judged as of fetched\n"
        in verdicts(here, *words, "5")[1]
    )
    found = json.loads(verdicts(here, *words, "5", "--json")[1])
    assert (found["urls"], found["total"]) == (5, len(URLS))
    assert "\n12 URLs of 1 file, judged as of fetched\n" in verdicts(here, *words, "99")[1]


def test_the_dialect_of_each_robot(here: Path) -> None:
    """A known robot may have its own; the text names those that differ from the table's."""
    words = (*ARGS, "-r", "CCBot", "-r", "Googlebot", "-r", "AdsBot-Google", "-r", "ExampleBot")
    own = "(dialect rfc9309; google for Googlebot, AdsBot-Google)\n"
    assert verdicts(here, *words)[1].endswith(own)
    found = json.loads(verdicts(here, *words, "--json")[1])
    dialects = [one["dialect"] for one in found["robots"]]
    assert dialects == ["rfc9309", "google", "google", "rfc9309"]


def test_a_name_that_is_nearly_a_known_one_is_noted(here: Path) -> None:
    """As by `goodbot check`, on standard error; sets of robots cannot be named here."""
    words = (*ARGS, "-r", "GTPBot", "-r", "CCBot", "-r", "ai")
    status, _, said = verdicts(here, *words)
    note = "note: GTPBot is not a known robot and is looked up by this name; did you mean GPTBot?"
    assert (status, " ".join(said.split())) == (0, note)


def test_columns_to_copy_replace_the_default_ones(here: Path) -> None:
    """As the help says."""
    assert verdicts(here, *ARGS, "-r", "CCBot", "--copy", "fetched", "-o", "out.parquet")[0] == 0
    assert pq.read_table(here / "out.parquet").column_names == ["fetched", "CCBot"]
    printed = " ".join(ask("tables", "verdicts", "--help")[1].split())
    assert "instead of the default: the URL and the time" in printed


def test_a_sample_and_the_library(here: Path) -> None:
    """The options are those of `write_verdicts`, and so is the result."""
    words = (*ARGS, "--robot", "CCBot", "--sample", "5", "--copy", "url", "-o", "out.parquet")
    assert verdicts(here, *words)[0] == 0
    found = pq.read_table(here / "out.parquet")
    write_verdicts(
        here / "urls.parquet", here / "policies.parquet", "CCBot", here / "same.parquet",
        columns=UrlColumns(at="fetched", copied=["url"]), sample=5,
    )  # fmt: skip
    assert found.equals(pq.read_table(here / "same.parquet"))
    assert (found.num_rows, found.column_names) == (5, ["url", "CCBot"])


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("--at", "then"), "there is no column 'then'; the columns are fetched, url"),
        (("--newest",), "omit one of --at and --newest"),
        (("-o", "urls.parquet"), "name another file to write"),
        (("--urls", "none.parquet"), "none.parquet does not exist"),
        (("--policies", "none.parquet"), "none.parquet is not a file; 'goodbot tables build'"),
        (("--robot", "CCBot"), "twice"),
        (("--sample", "0"), "0 is not in the range"),
        (("--urls", "urls.parquet", "more.parquet"), "'more.parquet' belongs to no option. Quote"),
    ],
)
def test_misuse(here: Path, words: tuple[str, ...], cure: str) -> None:
    """Nothing is written, and the message says how to fix it."""
    status, printed, said = verdicts(here, *ARGS, "--robot", "CCBot", *words)
    assert (status, printed) == (2, "")
    assert cure in said
    assert len([*here.iterdir()]) == 2


@pytest.mark.parametrize(
    ("stop", "status"), [(KeyboardInterrupt(), 130), (StoreFullError("the disk is full"), 2)]
)
def test_a_run_that_is_stopped_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    stop: BaseException,
    status: int,
) -> None:
    """Ctrl-C and a full disk end the command; what was written is not lost."""

    def stopped(*_: Any, progress: Any, **__: Any) -> None:  # noqa: ANN401
        progress(VerdictProgress(1_000, 4_000, 0))
        raise stop

    monkeypatch.setattr(verb, "write_verdicts", stopped)
    assert program.run(
        ["tables", "verdicts", *ARGS, "-r", "CCBot", "-o", "out.parquet"]
    ) == ExitStatus(status)
    said = " ".join(capsys.readouterr().err.split())
    advice = "note: stopped after 1,000 of 4,000 URLs. Nothing is lost: the same command continues"
    why = "Error: the disk is full " if status == ExitStatus.MISUSE else ""
    assert said.startswith(f"{why}{advice}")


def test_sigterm_is_as_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job that a scheduler ends says how to go on, too; what was set before is set again."""
    before = signal.getsignal(signal.SIGTERM)

    def stopped(*_: Any, progress: Any, **__: Any) -> None:  # noqa: ANN401
        progress(VerdictProgress(1_000, 4_000, 0))
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(verb, "write_verdicts", stopped)
    words = ["tables", "verdicts", *ARGS, "-r", "CCBot", "-o", "out.parquet"]
    assert program.run(words) == ExitStatus.INTERRUPTED
    assert capsys.readouterr().err.startswith("note: stopped after 1,000 of 4,000 URLs.")
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_resumed_run_says_so(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The summary has how many URLs an earlier run had judged."""
    summary = VerdictSummary(12, 1, (), resumed=5, at="fetched", total=12)
    monkeypatch.setattr(verb, "write_verdicts", lambda *_, **__: summary)
    monkeypatch.chdir(here)
    program.run(["tables", "verdicts", *ARGS, "-r", "CCBot", "-o", "out.parquet"])
    assert (
        "judged as of fetched (5 of them by an earlier run), written to" in capsys.readouterr().out
    )


def test_progress_on_a_terminal() -> None:
    """The line has a bar, the rate of this run, and the time that is left."""
    text = run_progress.progress_text(VerdictProgress(1_500_000, 6_000_000, 500_000), 2.0)
    assert text.startswith("[######------------------] 25 %: 1,500,000 of 6,000,000 URLs, 500,000")
    assert text.endswith("9 seconds left")
    assert run_progress.progress_text(VerdictProgress(0, 10, 0), 0.0).endswith("0 %: 0 of 10 URLs")
    assert run_progress.progress_text(VerdictProgress(0, 0, 0), 1.0).startswith("[" + "#" * 24)

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    with ProgressLine(Terminal()) as line:
        shown = run_progress.ShownProgress(line)
        shown.show(VerdictProgress(5, 10, 0))
        assert line.text is not None
        assert "5 of 10 URLs" in line.text(0.0)


@pytest.mark.parametrize(
    ("output", "cure"),
    [
        ("policies.parquet", "is read as well"),
        ("urls.parquet", "is read as well"),
        ("./policies.parquet", "is read as well"),
        ("out.csv", "name a .parquet file"),
        ("folder.parquet", "name a .parquet file"),
    ],
)
def test_what_is_read_or_is_no_file_is_not_written(here: Path, output: str, cure: str) -> None:
    """Nothing is replaced."""
    (here / "folder.parquet").mkdir()
    before = {one.name: one.read_bytes() for one in here.glob("*s.parquet")}
    status, printed, said = verdicts(here, *ARGS, "--robot", "GPTBot", "-o", output)
    assert (status, printed) == (2, "")
    assert cure in said
    assert before == {one.name: one.read_bytes() for one in here.glob("*s.parquet")}
