"""Checks that each answer of the service is as its OpenAPI document says."""

import json
import re
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from goodbot.service.app import openapi_document
from goodbot.service.page_files import PAGE_FILES
from tests.support.json_output import FORMATS

__all__ = ["check_answer", "document"]

NO_OPERATION = {404, 405, 421}
"""Statuses of requests for what is not in the document."""


@cache
def document() -> dict[str, Any]:
    """Return the document."""
    found: dict[str, Any] = json.loads(openapi_document())
    return found


@cache
def validator(reference: str) -> Draft202012Validator:
    """Return the validator for a schema of the document, named by a JSON pointer."""
    return Draft202012Validator(
        {"$ref": reference, "components": document()["components"], "paths": document()["paths"]},
        format_checker=FORMATS,
    )


def check_answer(method: str, path: str, status: int, kind: str, body: bytes) -> None:
    """Check an answer.

    Raises:
        AssertionError: The document has no such answer, or another schema for it.

    """
    method = "get" if method == "HEAD" else method.lower()
    if method == "get" and path in PAGE_FILES:
        return
    for template, operations in document()["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path) and method in operations:
            break
    else:
        assert status in NO_OPERATION, f"{method} {path} is not in the document, and has {status}"
        return
    answers = operations[method]["responses"]
    assert str(status) in answers, f"{method} {template} has no answer {status}: {body[:200]!r}"
    if "content" not in answers[str(status)]:
        assert not body
        return
    assert kind in answers[str(status)]["content"]
    if not kind.endswith("json"):
        return
    pointer = [template, method, "responses", str(status), "content", kind, "schema"]
    escaped = "/".join(part.replace("~", "~0").replace("/", "~1") for part in pointer)
    faults = list(validator(f"#/paths/{escaped}").iter_errors(json.loads(body)))
    assert not faults, f"{method} {template} {status}: {faults[0].message[:300]}"
