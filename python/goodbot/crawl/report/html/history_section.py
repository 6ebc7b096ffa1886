"""The section of a report on the runs of `goodbot watch`: a small chart for each figure.

Scope: from runs to SVG and a table. All charts have the same times; each has its own scale from
zero, and its numbers beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from goodbot.crawl.report.html.markup import grouped, shown, table
from goodbot.crawl.report.html.sections import Section
from goodbot.crawl.watching.watch_run import FIGURES, WATCH_KINDS, WatchRun
from goodbot.http.amounts import counted

__all__ = ["YEAR", "history_section", "runs_of_a_year"]

YEAR = timedelta(days=366)
"""How far back the history goes from the latest run."""
MOST_POINTS = 400
"""The most runs that are drawn; of more, every second, third, … one, and always the latest."""
MOST_ROBOTS = 12
"""The most robots that have a chart: those that most URLs are disallowed to."""
MOST_ROWS = 60
WIDTH, HEIGHT = 100, 28


def runs_of_a_year(runs: Sequence[WatchRun]) -> list[WatchRun]:
    """Return the runs of the year that ends with the latest, thinned out if there are very many."""
    if not runs:
        return []
    recent = [run for run in runs if run.at >= runs[-1].at - YEAR]
    step = -(-len(recent) // MOST_POINTS)
    return recent[::-1][::step][::-1]


def history_section(runs: Sequence[WatchRun]) -> Section:
    """Return the section.

    Args:
        runs: The runs, the earliest first; at least two.

    """
    body = "\n".join(history_body(runs_of_a_year(runs)))
    return Section("history", "History", body, len(runs))


def history_body(runs: Sequence[WatchRun]) -> Iterator[str]:
    """Yield the charts, and the table of the runs."""
    first, last = runs[0], runs[-1]
    yield (
        f"<p>{counted(len(runs), 'run')} of <code>goodbot watch</code> between "
        f"{first.at:%Y-%m-%d} and {last.at:%Y-%m-%d}. All charts have the same times.</p>"
    )
    yield '<div class="history">'
    for name, meaning in FIGURES.items():
        yield chart(meaning, runs, [run.figures.get(name) for run in runs])
    for robot, values in robot_values(runs).items():
        title = f"URLs disallowed to {robot}"
        yield chart(title, runs, values)
    changes = [sum(run.counts.values()) for run in runs]
    yield chart("Changes that matter", runs, changes)
    yield "</div>"
    yield run_table(runs)


def robot_values(runs: Sequence[WatchRun]) -> Mapping[str, list[int | None]]:
    """Return how many URLs were disallowed to the robots that differ, by run."""
    latest = runs[-1].disallowed_for
    names = sorted({name for run in runs for name in run.disallowed_for})
    values = {name: [run.disallowed_for.get(name) for run in runs] for name in names}
    changing = [name for name in names if len(set(values[name])) > 1]
    kept = sorted(changing, key=lambda name: (-latest.get(name, 0), name))[:MOST_ROBOTS]
    return {name: values[name] for name in kept}


def chart(title: str, runs: Sequence[WatchRun], values: Sequence[int | None]) -> str:
    """Return a small chart with its title, and its first, latest, least and greatest number."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    told = f"{grouped(known[0])} to {grouped(known[-1])}"
    extent = f"least {grouped(min(known))}, greatest {grouped(max(known))}"
    return (
        f'<div class="small-multiple"><h3>{shown(title)}</h3>'
        f'<p class="told">{shown(told)}</p>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{shown(f"{title}: {told}; {extent}")}">{drawn(runs, values)}</svg>'
        f'<p class="note">{shown(extent)}</p></div>'
    )


def drawn(runs: Sequence[WatchRun], values: Sequence[int | None]) -> str:
    """Return a line through the values; runs that do not have one are omitted."""
    begins, ends = runs[0].at.timestamp(), runs[-1].at.timestamp()
    length = (ends - begins) or 1.0
    greatest = max((value for value in values if value is not None), default=0) or 1
    points = [
        f"{WIDTH * (run.at.timestamp() - begins) / length:.2f},"
        f"{HEIGHT - (HEIGHT - 2) * value / greatest - 1:.2f}"
        for run, value in zip(runs, values, strict=True)
        if value is not None
    ]
    return f'<polyline points="{" ".join(points)}"/>'


def run_table(runs: Sequence[WatchRun]) -> str:
    """Return the latest runs as a table."""
    rows = [
        [
            f"{run.at:%Y-%m-%d %H:%M}",
            *(grouped(run.figures.get(name, 0)) for name in FIGURES),
            ", ".join(
                f"{WATCH_KINDS[kind]}: {run.counts[kind]:,}"
                for kind in WATCH_KINDS
                if kind in run.counts
            ),
        ]
        for run in reversed(runs[-MOST_ROWS:])
    ]
    heads = ["run (UTC)", *(name.replace("_", " ") for name in FIGURES), "what changed"]
    return table("Runs", heads, rows, numbers=set(range(1, len(FIGURES) + 1)))
