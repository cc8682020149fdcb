"""Checks that what the documents name exists: links, make targets, tests in docs/format.md."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
MAKE = re.compile(r"\bmake ((?:[a-z]+-)*[a-z]+)\b")
TEST_CELL = re.compile(r"`(?:tests/[\w/.]+::)?(test_\w+|[a-z]\w+::\w+)`")


def tracked(pattern: str) -> list[Path]:
    """Tracked and new files that match a pattern."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", pattern]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.splitlines() if (ROOT / name).exists()]


def broken_links(document: Path, text: str) -> list[str]:
    targets = (target for target in LINK.findall(text) if "://" not in target)
    return [f"link to {one}" for one in targets if not (document.parent / one).exists()]


def unknown_targets(text: str, known: set[str]) -> list[str]:
    """`make X` in code spans and code blocks where X is no target."""
    code = " ".join(re.findall(r"```.*?```|`[^`]+`", text, flags=re.DOTALL))
    return [f"make {name}" for name in MAKE.findall(code) if name not in known]


def unknown_tests(text: str, sources: str) -> list[str]:
    """Tests named in a table that no test file defines."""
    names = (name.split("::")[-1] for name in TEST_CELL.findall(text))
    return [f"test {name}" for name in names if not re.search(rf"\b(def|fn) {name}\b", sources)]


def main() -> int:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    sources = "\n".join(path.read_text() for kind in ("*.py", "*.rs") for path in tracked(kind))
    wrong = []
    for document in tracked("*.md"):
        text = document.read_text()
        found = broken_links(document, text) + unknown_targets(text, known)
        if document.name == "format.md":
            found += unknown_tests(text, sources)
        wrong += [f"{document.relative_to(ROOT)}: {one} leads nowhere" for one in found]
    for line in wrong:
        print(f"check_docs: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
