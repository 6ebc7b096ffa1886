"""The API of the service: its OpenAPI document, and the page that lists its paths.

Scope: paths, what they take, and examples. What they answer has the schemas of `--json`.
Source: OpenAPI Specification 3.1.1.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import goodbot
from goodbot.net.failures import FAILURES
from goodbot.service import asking, questions, turns
from goodbot.service.problems import PROBLEMS, describe_problem
from printing.as_markdown import code, table
from printing.of_json import needed, schema_of_object

OPENAPI = Path(goodbot.__file__).parent / "service" / "openapi.json"

URL: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "description": "An absolute URL of http or https.",
}
ROBOT: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": questions.LONGEST_NAME,
    "description": "A product token such as ExampleBot, or a whole User-Agent.",
}
WAIT: dict[str, Any] = {
    "type": "number",
    "minimum": 0,
    "maximum": questions.LONGEST_WAIT,
    "description": "The most seconds to wait.",
}
PLACE: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "description": "A site, a URL, or with * at the end all URLs that begin like that.",
}
WHO: dict[str, Any] = {"type": "string", "description": "Who decides it."}
WHY: dict[str, Any] = {"type": "string", "description": "The reason."}
RULE = "https://example.com/private"
BOT = "ExampleBot"


def taken(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the content of a request."""
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


VERDICTS = taken(
    ["urls"],
    urls={"type": "array", "items": {"type": "string"}, "minItems": 1,
          "maxItems": questions.MOST_URLS, "description": "The URLs."},
    robots={"type": "array", "items": ROBOT, "minItems": 1, "maxItems": questions.MOST_ROBOTS,
            "description": "The robots; by default that of the service."},
    time={"type": "string", "format": "date-time",
          "description": "Answer by the robots.txt that was known then."},
    wait={**WAIT, "default": questions.USUAL_WAIT},
    uses={"type": "boolean", "default": False, "description": "Whether to answer about uses."},
    explain={"type": "boolean", "default": False, "description": "Whether to add every key."},
)  # fmt: skip
ENDED = taken(
    [],
    status={"type": ["integer", "null"], "minimum": 100, "maximum": 999,
            "description": "The status of the response; null if none came."},
    retry_after={"type": ["string", "null"], "maxLength": turns.LONGEST_FIELD,
                 "description": "The value of Retry-After."},
    seconds={"type": ["number", "null"], "minimum": 0, "maximum": turns.MOST_SECONDS,
             "description": "How long the request took."},
    bytes={"type": ["integer", "null"], "minimum": 0, "maximum": turns.MOST_SIZE,
           "description": "The size of the response."},
    failure={"type": ["string", "null"], "enum": [*FAILURES, None],
             "description": "Why no response came."},
    unused={"type": "boolean", "description": "Whether no request was made."},
) | {
    "anyOf": [
        {"required": ["status"], "properties": {"unused": {"const": False}}},
        {"required": ["unused"], "properties": {"unused": {"const": True}}, "maxProperties": 1},
    ]
}  # fmt: skip

TURN = {
    "now": False,
    "not_before": "2026-01-01T00:00:05+00:00",
    "wait": 5.0,
    "reason": "crawl-delay",
    "source": "robots.txt line 3",
    "line": 3,
    "sentence": "Not before 2026-01-01 00:00:05 UTC: robots.txt line 3 asks for 5 seconds "
    "between visits.",
}
VERDICT = {
    "url": RULE,
    "robot": BOT,
    "verdict": "disallowed",
    "allowed": False,
    "reason": "rule-disallows",
    "source": "robots.txt line 2",
    "line": 2,
    "dialect": "rfc9309",
    "until": "2026-01-02T00:00:00+00:00",
    "retry_at": None,
    "next_visit": TURN,
}
GRANTED = {
    "turn": "granted",
    "id": "hVq3r1WZc0pXo3yGZ2mM8s4K",
    "url": "https://example.com/page",
    "send": "https://example.com/page",
    "robot": BOT,
    "granted": "2026-01-01T00:00:05+00:00",
    "lease_until": "2026-01-01T00:02:05+00:00",
    "waited_for": "crawl-delay",
    "reason": "no-rule-matches",
    "source": "robots.txt",
    "until": "2026-01-02T00:00:00+00:00",
}
HOLD = {
    "scope": "https://example.com",
    "kind": "block",
    "why": "they asked us by mail",
    "by": "ada",
    "at": "2026-01-01T00:00:00+00:00",
}


def operation(
    does: str,
    answers: dict[str, tuple[list[str], Any]],
    problems: list[str],
    *,
    takes: dict[str, Any] | None = None,
    example: Any = None,  # noqa: ANN401  what JSON has
    query: dict[str, tuple[bool, dict[str, Any], str]] | None = None,
) -> dict[str, Any]:
    """Return the description of one operation.

    Args:
        does: What it does, as a sentence.
        answers: The objects that it may answer, by status, and an example; `None` for none.
        problems: The problems that it may have, by slug.
        takes: The schema of its content.
        example: An example of that.
        query: Its parameters: whether they are required, their schema, and an example.

    """
    found: dict[str, Any] = {"summary": does, "responses": {}}
    if query:
        found["parameters"] = [
            {"name": name, "in": "query", "required": is_required, "schema": schema,
             "description": schema.get("description", name), "example": shown}
            for name, (is_required, schema, shown) in query.items()
        ]  # fmt: skip
    if takes is not None:
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": takes, "example": example}},
        }
    for status, (names, shown) in answers.items():
        if not names:
            found["responses"][status] = {"description": "Let it through."}
            continue
        refs: list[dict[str, Any]] = [{"$ref": f"#/components/schemas/{one}"} for one in names]
        if names == ["Metrics"]:
            text = {"text/plain; version=0.0.4; charset=utf-8": {"schema": {"type": "string"}}}
            found["responses"][status] = {"description": "The counts.", "content": text}
            continue
        content: dict[str, Any] = {"schema": refs[0] if len(refs) == 1 else {"anyOf": refs}}
        if shown is not None:
            content["example"] = shown
        found["responses"][status] = {
            "description": "The answer.",
            "content": {"application/json": content},
        }
    for slug in [*COMMON, *problems]:
        row = PROBLEMS[slug]
        answer = found["responses"].setdefault(
            str(row.status),
            {
                "description": row.title,
                "content": {
                    "application/problem+json": {
                        "schema": {"$ref": "#/components/schemas/ServiceProblem"},
                        "examples": {},
                    }
                },
            },
        )
        examples = answer["content"]["application/problem+json"]["examples"]
        examples[slug] = {"value": describe_problem(slug)}
    return found


COMMON = [
    "unauthorized", "cross-origin", "unknown-host", "too-many-requests", "internal-error",
]  # fmt: skip
CONTENT = ["invalid-request", "too-large", "unsupported-media-type", "store-unavailable"]
STORE = ["store-unavailable"]
ONE_SITE = {
    "url": (True, URL, RULE),
    "robot": (False, ROBOT, BOT),
}


def paths() -> dict[str, dict[str, dict[str, Any]]]:
    """Return every path with its operations."""
    held = {"place": "https://example.com", "why": "they asked us by mail", "by": "ada"}
    return {
        "/v1/verdicts": {
            "post": operation(
                "May these robots fetch these URLs? Sites that are not known are asked for "
                "robots.txt, once.",
                {"200": (["ServiceVerdicts"], {"verdicts": [VERDICT]})},
                CONTENT,
                takes=VERDICTS,
                example={"urls": [RULE], "robots": [BOT]},
            ),
            "get": operation(
                "May a robot fetch a URL, by what is known already? No site is asked.",
                {"200": (["ServiceVerdict"], VERDICT)},
                ["invalid-request", *STORE],
                query=ONE_SITE,
            ),
        },
        "/v1/egress": {
            "post": operation(
                "May a gateway let a request through? Send X-Goodbot-URL, or X-Goodbot-Authority "
                "(host and port) where only that is known, and X-Goodbot-Robot.",
                {"204": ([], None)},
                [*CONTENT, "not-allowed"],
            )
            | {
                "parameters": [
                    {"name": name, "in": "header", "required": False, "description": does,
                     "schema": {"type": "string"}, **({"example": shown} if shown else {})}
                    for name, does, shown in [
                        ("X-Goodbot-URL", "The URL of the request.", RULE),
                        ("X-Goodbot-Authority", "Host and port, in place of the URL.", None),
                        ("X-Goodbot-Robot", "The robot, or its whole User-Agent.", BOT),
                    ]
                ]
            }
        },
        "/v1/turns": {
            "post": operation(
                "Take a turn for a URL, or queue for it.",
                {
                    "201": (["TurnGranted"], GRANTED),
                    "200": (["TurnLater", "TurnRefused"], None),
                },
                CONTENT,
                takes=taken(["url"], url=URL, robot=ROBOT, wait={**WAIT, "default": 0}),
                example={"url": "https://example.com/page", "robot": BOT, "wait": 30},
            )
        },
        "/v1/turns/{id}": {
            "post": operation(
                "End a turn, with its result.",
                {"200": (["TurnEnded"], {"turn": "ended", "id": GRANTED["id"], "next_visit": TURN})},
                [*CONTENT, "unknown-turn"],
                takes=ENDED,
                example={"status": 200, "seconds": 0.31, "bytes": 18_230},
            )
            | {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"},
                     "description": "The number of the turn.", "example": GRANTED["id"]}
                ]
            }
        },
        "/v1/policies": {
            "post": operation(
                "What does the robots.txt of a site mean? The site is asked if it is not known.",
                {"200": (["SitePolicy"], None)},
                [*CONTENT, "unknown-site"],
                takes=taken(
                    ["url"], url=URL, robot=ROBOT, wait={**WAIT, "default": questions.USUAL_WAIT}
                ),
                example={"url": "https://example.com/", "robot": BOT},
            ),
            "get": operation(
                "What does it mean, by what is known already? No site is asked.",
                {"200": (["SitePolicy"], None)},
                ["invalid-request", "unknown-site", *STORE],
                query=ONE_SITE,
            ),
        },
        "/v1/robots": {
            "get": operation(
                "Which robots does goodbot know?",
                {"200": (["RobotList"], None)},
                ["invalid-request"],
                query={"name": (False, ROBOT, "GPTBot")},
            )
        },
        "/v1/block/list": {
            "get": operation(
                "Which sites and URLs are blocked or paused?",
                {"200": (["HoldList"], {"holds": [HOLD]})},
                ["invalid-request", *STORE],
            )
        },
        "/v1/block/add": {
            "post": operation(
                "Block a site or a URL.",
                {"200": (["Hold"], HOLD)},
                CONTENT,
                takes=taken(["place", "why"], place=PLACE, why={**WHY, "minLength": 1}, by=WHO),
                example=held,
            )
        },
        "/v1/block/remove": {
            "post": operation(
                "Remove a block.",
                {"200": (["BlockRemoved"], {"removed": "https://example.com"})},
                [*CONTENT, "not-held"],
                takes=taken(["place"], place=PLACE),
                example={"place": "https://example.com"},
            )
        },
        "/v1/pause": {
            "post": operation(
                "Pause a site.",
                {"200": (["Hold"], {**HOLD, "kind": "pause"})},
                CONTENT,
                takes=taken(["place"], place=PLACE, why=WHY, by=WHO),
                example=held,
            )
        },
        "/v1/resume": {
            "post": operation(
                "End the pause of a site.",
                {"200": (["PauseEnded"], {"resumed": "https://example.com"})},
                [*CONTENT, "not-held"],
                takes=taken(["place"], place=PLACE),
                example={"place": "https://example.com"},
            )
        },
        "/v1/problems/{slug}": {
            "get": operation(
                "What is this kind of problem?",
                {"200": (["ServiceProblem"], describe_problem("not-found"))},
                ["not-found"],
            )
            | {
                "parameters": [
                    {"name": "slug", "in": "path", "required": True,
                     "schema": {"type": "string", "enum": [*PROBLEMS]},
                     "description": "The last part of `type`.", "example": "not-found"}
                ]
            }
        },
        "/health": {
            "get": operation(
                "Does the service run?", {"200": (["ServiceStatus"], {"status": "ok"})}, []
            )
        },
        "/metrics": {
            "get": operation(
                "What has the service counted? In the text format of Prometheus.",
                {"200": (["Metrics"], None)},
                [],
            )
        },
        "/ready": {
            "get": operation(
                "Can its store be read?", {"200": (["ServiceStatus"], {"status": "ready"})}, STORE
            )
        },
        "/openapi.json": {
            "get": operation("This document.", {"200": (["OpenAPI"], None)}, [])
        },
    }  # fmt: skip


def names_in(described: dict[str, Any]) -> list[str]:
    """Return the names of the objects that paths answer, and of those that they contain."""
    text = json.dumps(described)
    first = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    return sorted({name for one in first - {"OpenAPI"} for name in needed(one)})


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    described = paths()
    schemas: dict[str, Any] = {name: schema_of_object(name) for name in names_in(described)}
    whole = json.dumps(schemas).replace("#/$defs/", "#/components/schemas/")
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "goodbot serve",
            "version": goodbot.__version__,
            "description": "May this robot fetch that URL, when, and who says so?",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:8470"}],
        "security": [{}, {"token": []}],
        "paths": described,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**json.loads(whole), "OpenAPI": {"type": "object"}},
        },
    }


def openapi() -> str:
    """Return the text of the document, which the service serves."""
    return json.dumps(document(), indent=1) + "\n"


HEAD = f"""\
# The API of the service

For authors of programs that ask `goodbot serve`: every path, what it takes and what it answers.

Looking for a first request? See [Answer programs in any language](../how-to/serve-answers.md). Looking for a schema? The service has it at `/openapi.json` (OpenAPI 3.1, with examples).

A POST takes JSON (`Content-Type: application/json`), and a key that is not listed is refused. A GET changes nothing, and asks no site. At most {asking.MOST_PAIRS:,} pairs of a robot and a site are answered at once;
[Bounds](bounds.md) has the other limits.
"""


def service_page() -> Iterator[str]:
    """Yield the page of all paths."""
    yield from HEAD.splitlines()
    yield ""
    for path, operations in paths().items():
        for method, one in operations.items():
            yield f"## {method.upper()} {path}"
            yield ""
            yield one["summary"]
            yield ""
            yield from inputs(one)
            for status, answer in one["responses"].items():
                content = answer.get("content", {}).get("application/json")
                if content is None:
                    continue
                refs = content["schema"].get("anyOf", [content["schema"]])
                names = [ref["$ref"].rpartition("/")[2] for ref in refs]
                shown = " or ".join(
                    "an OpenAPI document"
                    if name == "OpenAPI"
                    else f"[{name}](json.md#{name.lower()})"
                    for name in names
                )
                yield f"It answers {shown} (status {status})."
            kinds = sorted(
                slug
                for answer in one["responses"].values()
                for slug in answer.get("content", {})
                .get("application/problem+json", {})
                .get("examples", {})
                if slug not in COMMON
            )
            if kinds:
                yield f"Its problems: {', '.join(map(code, kinds))}."
            yield ""
    yield "## Problems"
    yield ""
    yield "Every path may also have those of the first five rows; see [ServiceProblem](json.md#serviceproblem)."
    yield ""
    rows = [
        [code(slug), str(PROBLEMS[slug].status), PROBLEMS[slug].title, PROBLEMS[slug].cure]
        for slug in [*COMMON, *(one for one in PROBLEMS if one not in COMMON)]
    ]
    yield from table(["problem", "status", "what it is", "what to do"], rows)


def inputs(one: dict[str, Any]) -> Iterator[str]:
    """Yield the table of what an operation takes."""
    rows = [
        [
            code(given["name"]),
            given["in"],
            "yes" if given["required"] else "no",
            given["description"],
        ]
        for given in one.get("parameters", [])
    ]
    if "requestBody" in one:
        schema = one["requestBody"]["content"]["application/json"]["schema"]
        rows += [
            [code(name), "content", "yes" if name in schema["required"] else "no",
             described["description"]]
            for name, described in schema["properties"].items()
        ]  # fmt: skip
    if rows:
        yield from table(["key", "where", "required", "what it is"], rows)
