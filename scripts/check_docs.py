"""Checks the documents: what they name exists, and their sentences are short and plain.

Links, make targets, paths of crates and the tests in docs/format.md must exist. Outside tables,
code and generated parts, no sentence has more than 40 words, and none uses the words of DIALECT.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
CODE_BLOCK = re.compile(r"^( *)```.*?^ *```$", flags=re.DOTALL | re.MULTILINE)
GENERATED = re.compile(r"<!-- generated.*?<!-- end -->", flags=re.DOTALL)
HEADING = re.compile(r"^#+ +(.*?) *$", flags=re.MULTILINE)
MAKE = re.compile(r"\bmake ((?:[a-z]+-)*[a-z]+)\b")
# A sentence ends here; so does what stands before a list.
SENTENCE_END = re.compile(r"(?<=[.!?:]) ")
MOST_WORDS = 40
# Words for which plain English has others: frazil reports, you request, the target is.
DIALECT = re.compile(
    r"\b((is|are|was|were|be|been) (told|had)\b"
    r"|told (of|as) |it is taken that|(wanted|missed) (is|are|was|were)\b"
    r"|(is|are|was|were) asked for\b|goes before\b|without a word\b)",
    flags=re.IGNORECASE,
)
# Pages that scripts write from texts of other places, and the log of changes.
NOT_PROSE = re.compile(r"docs/(\w+_reference|evidence|tutorials/.*)\.md|CHANGELOG\.md")
# Paths of the tree in code spans: from its root, or (in docs/architecture.md) from crates/.
PATH = re.compile(r"`((?:crates|frazil-[a-z]+)/[\w./-]+\w(?:\.\w+|/))`")
TEST_CELL = re.compile(r"`(?:tests/[\w/.]+::)?(test_\w+|[a-z]\w+::\w+)`")


def tracked(pattern: str) -> list[Path]:
    """Tracked and new files that match a pattern."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", pattern]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.splitlines() if (ROOT / name).exists()]


def anchors(text: str) -> set[str]:
    """Anchors of the headings, as far as code hosts and the site make the same one."""
    found = set()
    for heading in HEADING.findall(CODE_BLOCK.sub("", text)):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        kept = re.sub(r"[^\w\s-]", "", shown).strip()
        of_host, of_site = kept.replace(" ", "-"), re.sub(r"[-\s]+", "-", kept)
        if of_host == of_site:
            found.add(of_host)
    return found


def broken_links(document: Path, text: str) -> list[str]:
    broken = []
    for target, anchor in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        place = document.parent / target if target else document
        if not place.exists():
            broken.append(f"link to {target}")
        elif anchor and place.suffix == ".md" and anchor not in anchors(place.read_text()):
            broken.append(f"link to {target}#{anchor}")
    return broken


def paragraphs(text: str) -> list[str]:
    """Paragraphs and entries of lists, without tables, headings, code and generated parts."""
    text = CODE_BLOCK.sub("\n", GENERATED.sub("\n", text))
    lines = ["" if line.lstrip().startswith(("|", "#")) else line for line in text.splitlines()]
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n", "\n".join(lines), flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]


def hard_sentences(text: str) -> list[str]:
    """What is too long to follow, or not plain English."""
    found = []
    for paragraph in paragraphs(text):
        for sentence in SENTENCE_END.split(paragraph):
            words = len(sentence.split())
            if words > MOST_WORDS:
                found.append(f"a sentence of {words} words: {sentence[:60]}...")
            found += [f"say it plainly: {one[0]}" for one in DIALECT.finditer(sentence)]
    return found


def missing_paths(text: str) -> list[str]:
    """Files and folders of crates in code spans that are not there."""
    roots = (ROOT, ROOT / "crates")
    named = sorted(set(PATH.findall(text)))
    return [path for path in named if not any((root / path).exists() for root in roots)]


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
        if document.name != "CHANGELOG.md":
            found += missing_paths(text)
        if document.name == "format.md":
            found += unknown_tests(text, sources)
        name = str(document.relative_to(ROOT))
        wrong += [f"{name}: {one} leads nowhere" for one in found]
        if not NOT_PROSE.fullmatch(name):
            wrong += [f"{name}: {one}" for one in hard_sentences(text)]
    for line in wrong:
        print(f"check_docs: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
