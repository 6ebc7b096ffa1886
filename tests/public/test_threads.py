"""Public values are shared between threads."""

import threading

import goodbot


def test_public_values_cross_threads() -> None:
    """A file, rules and verdicts made in one thread answer the same in every other."""
    robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /7\n")
    rules = robots.rules_for("ExampleBot")
    verdict = rules.verdict("/7")
    expected = [not str(number).startswith("7") for number in range(2_000)]
    answers: dict[int, list[bool]] = {}

    def ask(thread: int) -> None:
        assert verdict.rule is not None
        assert verdict.rule.line == 2
        assert not robots.allows("/7", f"Bot-{chr(97 + thread)}")
        answers[thread] = [rules.allows(f"/{number}") for number in range(2_000)]

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == dict.fromkeys(range(8), expected)
