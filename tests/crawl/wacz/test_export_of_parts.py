"""A crawl in several processes is exported as one."""

import gzip
import json
import zipfile
from pathlib import Path

from goodbot.crawl import export_wacz
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.testing import FakeSite
from tests.support.crawls.process_crawls import crawl_in_parts

HOSTS = ("https://a.example", "https://b.example", "https://c.example", "https://d.example")


def test_the_files_of_all_parts_are_in_the_export(tmp_path: Path) -> None:
    """Under names of their own, so that every line of the index leads to its record."""
    site = FakeSite({"/robots.txt": "", "/": "<title>Shop</title><a href=/a>a</a>", "/a": "<p>a"})
    crawl_in_parts(tmp_path / "crawl", site, *(f"{host}/" for host in HOSTS))
    with open_readonly(tmp_path / "crawl") as database:
        done = export_wacz(database, tmp_path / "shop.wacz", site.clock.now())
    with zipfile.ZipFile(tmp_path / "shop.wacz") as wacz:
        names = [name for name in wacz.namelist() if name.startswith("archive/")]
        lines = gzip.decompress(wacz.read("indexes/index.cdx.gz")).decode().splitlines()
        captures = [json.loads(line.split(" ", 2)[2]) for line in lines]
        for one in captures:
            content = wacz.read(f"archive/{one['filename']}")[int(one["offset"]) :]
            member = gzip.decompress(content[: int(one["length"])])
            assert f"WARC-Target-URI: {one['url']}\r\n".encode() in member
    assert done.files == len(names) >= 4
    assert {name.rpartition("/")[0] for name in names} == {"archive"}
    assert {one["url"] for one in captures} == {
        f"{host}{path}" for host in HOSTS for path in ("/", "/a", "/robots.txt")
    }
