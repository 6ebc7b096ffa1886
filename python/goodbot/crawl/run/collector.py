"""The garbage collector during a run: called rarely, because a crawl makes few cycles.

Scope: the settings of the collector of this process, and their restoration. Reading a page makes
thousands of objects that reference counts free at once. With the defaults, the collector examines
them ten times a page, which takes a tenth of a crawl's CPU time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["calm_collector"]

THRESHOLD = 20_000
"""The number of new containers after which the collector examines the young ones: those of a batch
of pages. Python's default is 700."""


@contextmanager
def calm_collector() -> Iterator[None]:
    """Let the collector examine young objects less often, and what stands at the start never.

    A host that has set a higher threshold, or has switched the collector off, keeps its setting.
    """
    before = gc.get_threshold()
    if not 0 < before[0] < THRESHOLD:
        yield
        return
    gc.freeze()
    gc.set_threshold(THRESHOLD, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
