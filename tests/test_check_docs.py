"""What `make check` refuses in documents."""

import sys
from pathlib import Path

import pytest
from support.command import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import check_docs


@pytest.mark.parametrize(
    "text",
    [
        "The cache is told as 64 MiB.",
        "A file that was renamed\nis told of by its new name.",
        "- Wanted were five times.",
        "So it goes " + "on and " * 40 + "on.",
    ],
)
def test_what_is_hard_to_read_is_refused(text: str) -> None:
    assert len(check_docs.hard_sentences(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "netCDF-C reports 64 MiB. The targets were missed.",
        "| a table | is told as 64 MiB |",
        "```\nis told as 64 MiB\n```",
        "`is told as` is code.",
        "<!-- generated: rows -->\nis told as 64 MiB\n<!-- end -->",
        "- " + "word " * 30 + "\n- " + "word " * 30,
        "A [link](page.md#it-is-told-as) and " + "`code of many words here` " * 15,
    ],
)
def test_what_is_plain_or_no_prose_passes(text: str) -> None:
    assert check_docs.hard_sentences(text) == []


def test_links_must_lead_to_headings(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    other = tmp_path / "other.md"
    other.write_text("# A page\n\n## `frazil run`, and *more*\n\n```\n# no heading\n```\n")
    text = (
        "[a](other.md) [b](other.md#frazil-run-and-more) [c](other.md#no-heading) [d](gone.md) "
        "[e](https://example.org/x.md#y) [f](#here) [g](#nowhere)\n\n## Here\n"
    )
    page.write_text(text)
    broken = check_docs.broken_links(page, text)
    assert broken == ["link to other.md#no-heading", "link to gone.md", "link to #nowhere"]
