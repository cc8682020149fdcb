"""The list of what is sampled is complete: tests/README.md."""

import re
from pathlib import Path

TESTS = Path(__file__).parent


def test_the_list_of_sampled_modules_is_current():
    marked = {
        (number, str(path.relative_to(TESTS)))
        for path in TESTS.rglob("test_*.py")
        for number in re.findall(r"mark\.sampled\(one_in=(\d+)\)", path.read_text())
    }
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", (TESTS / "README.md").read_text(), re.MULTILINE)
    listed = {(number, name) for number, names in rows for name in re.findall("`(.+?)`", names)}
    assert marked == listed and marked
