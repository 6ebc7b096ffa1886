"""The files that are read, and the URLs that are checked; the same ones on every run.

The corpus of real robots.txt files is a tar.xz with one file for each host, in the folder that the
tests use too. It is not part of the project: without it, files are generated that resemble it in
size and in rules.
"""

import os
import random
import re
import tarfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROBOT = "ExampleBot"
INFO, CONTACT = "https://example.com/bot", "bot@example.com"
"""How a robot introduces itself."""
URLS_PER_FILE = 20
VARIABLE = "GOODBOT_CORPUS"
DEFAULT = Path("..") / "shared" / "corpus"
ARCHIVE = "robots-txt.tar.xz"

REPOSITORY = Path(__file__).resolve().parent.parent

RULE = re.compile(rb"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([^\s#]+)", re.IGNORECASE | re.MULTILINE)

# The number of rules for `*` in files: (share of the files, rules), from the real corpus.
RULES_FOR_ALL = (
    (0.00, 0),
    (0.10, 0),
    (0.25, 2),
    (0.50, 10),
    (0.75, 30),
    (0.90, 60),
    (0.95, 80),
    (0.99, 200),
    (1.00, 800),
)
MADE_FILES = 2000
WILDCARDS = 0.2
# Bytes besides the rules for `*`, so that the mean file has 3.4 KB: other groups and comments.
MEAN_REST = 2400

WORDS = (
    *(
        "about",
        "account",
        "admin",
        "api",
        "archive",
        "article",
        "assets",
        "author",
        "basket",
        "blog",
    ),
    *(
        "cart",
        "category",
        "catalog",
        "checkout",
        "comments",
        "content",
        "data",
        "download",
        "en",
        "events",
    ),
    *("feed", "filter", "forum", "help", "images", "includes", "index", "item", "jobs", "login"),
    *("media", "members", "modules", "news", "node", "page", "people", "photo", "print", "private"),
    *(
        "product",
        "profile",
        "register",
        "reviews",
        "scripts",
        "search",
        "shop",
        "sport",
        "static",
        "stories",
    ),
    *(
        "tag",
        "themes",
        "tmp",
        "topics",
        "user",
        "video",
        "weather",
        "wp-admin",
        "wp-content",
        "world",
    ),
)
QUERIES = (
    "?page=2",
    "?id=1047",
    "?utm_source=feed&utm_medium=rss",
    "?q=robots+txt",
    "?sort=price&order=asc",
)
ENDINGS = ("", "", ".html", "/", ".php", ".pdf", "-2026")


@dataclass(frozen=True)
class Sample:
    """A file, and the URLs to check."""

    host: str
    content: bytes
    text: str
    urls: tuple[str, ...]

    @property
    def is_page(self) -> bool:
        """Whether the site answered with a page of HTML instead of a robots.txt file."""
        return self.text.lstrip().startswith("<")


@dataclass(frozen=True)
class Corpus:
    """All samples, and a sentence that states their origin."""

    samples: tuple[Sample, ...]
    origin: str

    @property
    def size(self) -> int:
        """The size of all files together, in bytes."""
        return sum(len(sample.content) for sample in self.samples)


def generator(seed: str) -> random.Random:
    """Return random numbers that are the same on every run."""
    return random.Random(seed)  # noqa: S311 -- nothing secret is made


def load(files: int | None = None) -> Corpus:
    """Read the real corpus, or generate one; `files` selects that many, evenly spread."""
    path = Path(os.environ.get(VARIABLE) or REPOSITORY / DEFAULT) / ARCHIVE
    if path.is_file():
        named = _read(path)
        origin = f"{len(named)} real robots.txt files, as popular sites serve them"
    else:
        named = [(f"site{number}.example", _make(number)) for number in range(MADE_FILES)]
        origin = (
            f"{len(named)} generated files, because the corpus of real ones is absent"
            f" (the environment variable {VARIABLE} may name its folder);"
            " sizes and rules are distributed like the real ones"
        )
    if files is not None and files < len(named):
        step = len(named) // files
        named = named[::step][:files]
    return Corpus(tuple(_sample(host, content) for host, content in named), origin)


def _read(path: Path) -> list[tuple[str, bytes]]:
    named = []
    with tarfile.open(path) as archive:
        for member in archive:
            extracted = archive.extractfile(member) if member.isfile() else None
            if extracted is not None:
                named.append((member.name.rpartition("/")[2], extracted.read()))
    return sorted(named)


def _sample(host: str, content: bytes) -> Sample:
    text = content.decode("utf-8-sig", errors="replace")
    return Sample(host, content, text, tuple(_urls(host, content)))


def _urls(host: str, content: bytes) -> list[str]:
    """Return URLs: half are made from the rules of the file, half are like those of any site."""
    numbers = generator(host)
    paths = rule_paths(content)
    urls = []
    for number in range(URLS_PER_FILE):
        if paths and number % 2 == 0:
            path = filled(numbers.choice(paths), numbers) + numbers.choice(
                ("", "", "a", "/b.html", "?c=d")
            )
        else:
            path = generic_path(numbers)
        urls.append(f"https://{host}{path}")
    return urls


def rule_paths(content: bytes) -> list[str]:
    """List the values of a file's rules that can be part of a URL."""
    paths = []
    for value in RULE.findall(content):
        try:
            path = value.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if path[0] in "/*" and path.isprintable():
            paths.append(path[:300])
    return paths


def filled(pattern: str, numbers: random.Random) -> str:
    """Make a path that the pattern matches, with words for the wildcards."""
    pattern = pattern.removesuffix("$")
    path = re.sub(r"\*+", lambda _: numbers.choice(WORDS), pattern)
    return path if path.startswith("/") else "/" + path


def generic_path(numbers: random.Random) -> str:
    """Make a path like those of any site; one in five has a query."""
    path = "".join("/" + numbers.choice(WORDS) for _ in range(numbers.randint(1, 4)))
    path += numbers.choice(ENDINGS)
    return path + numbers.choice(QUERIES) if numbers.random() < 0.2 else path  # noqa: PLR2004 -- one in five


def long_urls(count: int, host: str, content: bytes) -> list[str]:
    """Return many URLs of 60 to 90 characters, half of them beginning like the file's rules."""
    numbers = generator(f"{host} {count}")
    paths = rule_paths(content) or ["/"]
    beginnings = [f"https://{host}{filled(path, numbers)}"[:60] for path in paths for _ in range(3)]
    beginnings += [f"https://{host}{generic_path(numbers)}"[:60] for _ in beginnings]
    tails = ["/" + "-".join(numbers.choice(WORDS) for _ in range(20)) for _ in range(200)]
    urls = []
    for number in range(count):
        length = numbers.randint(60, 90)
        urls.append(
            (numbers.choice(beginnings) + numbers.choice(tails))[: length - 7] + f"{number:07}"
        )
    return urls


def _make(number: int) -> bytes:
    """Return a file that resembles a real one."""
    numbers = generator(f"file {number}")
    lines = ["User-agent: *"]
    lines += _rules(_count(numbers.random()), numbers)
    rest = numbers.lognormvariate(0, 1.8) / 5.05 * MEAN_REST
    while rest > 0:
        group = ["", f"User-agent: {numbers.choice(WORDS).title()}Bot"]
        group += _rules(numbers.randint(1, 12), numbers)
        if numbers.random() < 0.3:  # noqa: PLR2004 -- three groups in ten have a comment
            group.insert(1, "# " + " ".join(numbers.choice(WORDS) for _ in range(8)))
        rest -= sum(len(line) + 1 for line in group)
        lines += group
    for _ in range(numbers.choice((0, 1, 1, 2, 5, 8))):
        lines.append(f"Sitemap: https://site{number}.example/{numbers.choice(WORDS)}/sitemap.xml")
    return "\n".join([*lines, ""]).encode()


def _rules(count: int, numbers: random.Random) -> list[str]:
    return [_rule(numbers) for _ in range(count)]


def _rule(numbers: random.Random) -> str:
    field = "Allow" if numbers.random() < 0.15 else "Disallow"  # noqa: PLR2004 -- three in twenty
    words = [numbers.choice(WORDS) for _ in range(numbers.randint(1, 3))]
    if numbers.random() < WILDCARDS:
        path = numbers.choice(("/*/{}/", "/*{}=", "/{}/*/print", "/*.{}$", "*/{}")).format(
            "/".join(words)
        )
    else:
        path = "/" + "/".join(words) + numbers.choice(("", "/"))
    return f"{field}: {path}"


def _count(share: float) -> int:
    """Return the number of rules of a file at a given place among all files."""
    for (low, few), (high, many) in pairwise(RULES_FOR_ALL):
        if share <= high:
            return round(few + (many - few) * (share - low) / (high - low))
    return 0
