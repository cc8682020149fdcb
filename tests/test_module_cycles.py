"""What `scripts/module_cycles.py` takes for a cycle of modules, on crates made for it."""

import subprocess
import sys
from pathlib import Path

from support.command import ROOT

SCRIPT = ROOT / "scripts/module_cycles.py"
# a uses b, b uses c, and so on; who closes the circle is for each test to say.
CHAIN = {
    "lib.rs": "mod a;\nmod b;\nmod c;\nmod d;\n",
    "a.rs": "use crate::b::B;\npub struct A(B);\n",
    "b.rs": "use super::c::{self, C};\npub struct B(C);\n",
    "c.rs": "pub struct C(crate::d::D);\n",
    "d.rs": "pub struct D;\n",
}


def check(folder: Path, sources: dict[str, str]) -> tuple[int, str]:
    """Status and complaints about a workspace with one crate of these sources."""
    crate = folder / "crates/sample"
    for name, text in sources.items():
        path = crate / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (crate / "Cargo.toml").write_text("")
    command = [sys.executable, SCRIPT, folder]
    answer = subprocess.run(command, capture_output=True, text=True)
    return answer.returncode, answer.stderr


def test_our_crates_have_none() -> None:
    answer = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def test_four_modules_in_a_circle_are_named_with_what_makes_it(tmp_path: Path) -> None:
    status, told = check(tmp_path, CHAIN | {"d.rs": "pub fn d() { crate::a::start() }\n"})
    assert status == 1
    assert "sample/src: 4 modules form a cycle" in told
    for edge in ("a -> b: B", "b -> c: C, the module", "c -> d: D", "d -> a: start"):
        assert f"  {edge}\n" in told


def test_three_modules_may_form_a_circle(tmp_path: Path) -> None:
    assert check(tmp_path, CHAIN | {"d.rs": "use crate::b::B;\n"}) == (0, "")


def test_what_only_tests_and_words_name_does_not_count(tmp_path: Path) -> None:
    last = """
        // use crate::a::A;
        /* use crate::a::A; /* nested */ use crate::a::A; */
        const TEXT: &str = "use crate::a::A; \\" crate::a::A";
        const RAW: &str = r#"use crate::a::A;"#;
        pub(in crate::a) fn lifetimes<'a>(_: &'a u8) -> impl Sized + use<'a> { 'x' }
        #[cfg(test)]
        use crate::a::A;
        #[cfg(test)]
        mod tests { use crate::a::A; fn one() { crate::a::start() } }
        #[cfg(all(test, unix))]
        mod more_tests;
    """
    sources = CHAIN | {"d.rs": last, "d/more_tests.rs": "use crate::a::A;\n"}
    assert check(tmp_path, sources) == (0, "")
    for_all = "#[cfg(not(test))]\nuse crate::a::A;\n"
    assert check(tmp_path, CHAIN | {"d.rs": for_all})[0] == 1


def test_names_that_a_folder_hands_on_come_from_their_module(tmp_path: Path) -> None:
    sources = CHAIN | {
        "lib.rs": CHAIN["lib.rs"] + "pub use a::{A as First, *};\n",
        "d.rs": "fn d() { for one in crate::First::all() {} }\n",
    }
    status, told = check(tmp_path, sources)
    assert status == 1
    assert "  d -> a: A::all\n" in told


def test_each_folder_has_a_graph_of_its_own(tmp_path: Path) -> None:
    inner = {f"room/{name}": text for name, text in CHAIN.items() if name != "lib.rs"}
    inner = {name: text.replace("crate::", "crate::room::") for name, text in inner.items()}
    sources = inner | {
        "lib.rs": "mod room;\nmod other;\n",
        "room/mod.rs": CHAIN["lib.rs"] + "use a::A;\n",
        "room/d.rs": "mod deep { use super::super::A; }\nuse crate::other;\n",
        "other.rs": "use crate::room;\n",
    }
    status, told = check(tmp_path, sources)
    assert status == 1
    assert "sample/src/room: 4 modules form a cycle" in told
    assert "sample/src:" not in told
    # A file beside its folder is the same as `mod.rs` in it.
    (tmp_path / "crates/sample/src/room/mod.rs").rename(tmp_path / "crates/sample/src/room.rs")
    assert check(tmp_path, {})[1] == told
