"""What frazil's messages say of the command, in the words of this package."""

from __future__ import annotations

import re

# Longer ones first: each replaces what it finds.
_PHRASES = {
    "; `frazil pack --recursive` takes all of them": "; frazil.pack_files packs them all",
    ", or make one for this file: frazil plan --json FILE": ", or make one by frazil.plan(FILE)",
    ", with -o or --out-dir": "",
    "pack to another file with -o, or add --break-hard-links": (
        "name another output, or state break_hard_links=True"
    ),
    "use --in-place to replace it": "state in_place=True to replace it",
    "use --out-dir for a directory": "name a file in it",
    "unpack to netCDF-4 instead (--format netcdf4)": 'unpack to netCDF-4: format="netcdf4"',
    "frazil pack --pack-integers": 'frazil.pack with the key "pack_integers" of precision',
    "--in-place and --out-dir would keep it": "in_place=True would keep it",
    "state --abs-error for it": 'state "absolute_tolerance" for it in precision',
    "`frazil info` lists": "frazil.info lists",
    "--keep-information is": "keep_information is",
    "--keep-chunks": 'chunks="keep"',
    "write to a file and print that, for example with `frazil pack IN -o OUT && cat OUT`": (
        "write to a file"
    ),
}
# As a word of its own: `h5clear --increment=0` is another program's.
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)(?![\w=-])")
_BOUND = re.compile(r"--abs-error '(.*):([^:']*)'")
_SWITCHES = {"overwrite", "verify", "allow-larger", "break-hard-links", "in-place", "dry-run"}


def in_python(text: str) -> str:
    """A message with parameters in place of the command's options."""
    if "h5clear" in text:
        return text
    for phrase, ours in _PHRASES.items():
        text = text.replace(phrase, ours)
    text = _BOUND.sub(r"""precision={"\1": {"absolute_tolerance": \2}}""", text)
    return _OPTION.sub(_parameter, text)


def _parameter(option: re.Match[str]) -> str:
    name = option[1].replace("-", "_")
    return f"{name}=True" if option[1] in _SWITCHES else f"{name}="
