"""Hooks of mkdocs: pages of the site that do not lie in docs/.

README, changelog and their like become pages, and so do the tutorials, with what they give when
they are run. Other files of the repository that a page links to, such as examples and headers,
become pages that show them; links to folders become plain text.
"""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

# Beside this file.
sys.path.insert(0, str(Path(__file__).resolve().parent))
import tutorials

ROOT = Path(__file__).resolve().parent.parent

# Files of the repository, and what their pages are called.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "bench/README.md": "benchmarks.md",
    "data/sample/README.md": "sample.md",
    "tests/README.md": "tests.md",
}
# They are reached by links, not by the menu.
UNLISTED = ("sample.md", "tests.md")
SOURCES = {page: file for file, page in PAGES.items()}
SHOWN = "source"

LANGUAGES = {".c": "c", ".h": "c", ".f90": "fortran", ".F90": "fortran", ".F": "fortran"}
# Code is left alone; a link's label may hold some.
TOKEN = re.compile(
    r"^```.*?^```"
    r"|(?P<label>\[[^\]]*\])\((?P<target>[^)#\s:]+)(?P<anchor>#[^)]*)?\)"
    r"|`[^`\n]+`",
    flags=re.DOTALL | re.MULTILINE,
)
# What a browser would fetch from elsewhere.
FETCHED = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^\"'>\s]+"
)


def origin(page: str) -> str:
    """Where in the repository the text of a page is."""
    if page.startswith("tutorials/"):
        return f"docs/{page.removesuffix('.md')}.py"
    return SOURCES.get(page) or f"docs/{page}"


def page_of(file: str) -> str | None:
    """The page that shows a file of the repository; none for folders."""
    if file.startswith("docs/tutorials/"):
        return file.removeprefix("docs/").rsplit(".", 1)[0] + ".md"
    if file.startswith("docs/"):
        return file.removeprefix("docs/")
    if file in PAGES:
        return PAGES[file]
    return f"{SHOWN}/{file}.md" if (ROOT / file).is_file() else None


def target_of(page: str, link: re.Match[str]) -> str:
    """The file of the repository that a link of a page leads to."""
    folder = posixpath.dirname(origin(page))
    return posixpath.normpath(posixpath.join(folder, link["target"]))


def linked(page: str, text: str) -> list[str]:
    """Files of the repository that a page links to."""
    return [target_of(page, link) for link in TOKEN.finditer(text) if link["target"]]


def shown(file: str) -> str:
    """A page with the content of a file."""
    path = ROOT / file
    language = LANGUAGES.get(path.suffix, "text")
    return f"# {path.name}\n\n`{file}`\n\n````{language}\n{path.read_text().rstrip()}\n````\n"


def add_tutorial(tutorial: Path, files: Files, config: MkDocsConfig) -> None:
    """Runs a tutorial; its page and its notebook."""
    try:
        cells = tutorials.run(tutorial)
    except RuntimeError as error:
        raise PluginError(f"a tutorial fails (`make python` comes first):\n{error}") from None
    uri = f"tutorials/{tutorial.name}"
    for known in (uri, uri.replace(".py", ".ipynb")):
        if known in files.src_uris:
            files.remove(files.src_uris[known])
    name = uri.removesuffix(".py")
    page = tutorials.page(tutorial, cells)
    files.append(File.generated(config, f"{name}.md", content=page))
    notebook = tutorials.notebook(cells)
    files.append(File.generated(config, f"{name}.ipynb", content=notebook))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for file, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / file).read_text()))
    for tutorial in tutorials.tutorials():
        add_tutorial(tutorial, files, config)
    for file in list(files.documentation_pages()):
        for target in linked(file.src_uri, file.content_string):
            page = page_of(target)
            if page and page.startswith(SHOWN) and page not in files.src_uris:
                files.append(File.generated(config, page, content=shown(target)))
    for page in files.src_uris:
        if page in UNLISTED or page.startswith(f"{SHOWN}/"):
            files.src_uris[page].inclusion = files.src_uris[page].inclusion.NOT_IN_NAV
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Points links at pages of the site."""
    here = page.file.src_uri
    if here.startswith(f"{SHOWN}/"):
        return markdown
    folder = posixpath.dirname(here) or "."

    def moved(token: re.Match[str]) -> str:
        if not token["target"]:
            return token[0]
        to = page_of(target_of(here, token))
        if to is None:
            return token["label"][1:-1]
        # A page that shows a file as it is has no headings of the file to lead to.
        anchor = "" if to.startswith(f"{SHOWN}/") else token["anchor"] or ""
        return f"{token['label']}({posixpath.relpath(to, folder)}{anchor})"

    return TOKEN.sub(moved, markdown)


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Refuses pages for which something must be fetched."""
    found = FETCHED.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri}: {found[0]}")
    return output
