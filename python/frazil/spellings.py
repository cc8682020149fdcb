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
    "`frazil plan --json FILE` writes": "frazil.plan(FILE) returns",
    "`pack --plan`": "frazil.pack(plan=)",
    "`frazil info` lists": "frazil.info lists",
    " (--rel-error, --abs-error)": "",
    "--keep-information is": "keep_information is",
    "--keep-chunks": 'chunks="keep"',
    "write to a file and print that, for example with `frazil pack IN -o OUT && cat OUT`": (
        "write to a file"
    ),
}
# As a word of its own: `h5clear --increment=0` is another program's.
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)(?![\w=-])")
_BOUND = re.compile(r"--(abs|rel)-error '(.*):([^:']*)'")
_PACK = re.compile(r"`?frazil pack((?: --[a-z-]+ [\w-]+)+) (\S+) -o ([^\s`]+)`?")
_STATED = re.compile(r"--([a-z-]+) ([\w-]+)")
_READABLE_BY = re.compile(r"--readable-by (\w+)")
# The package has no function for it.
_COMMANDS_ONLY = re.compile(r"`?\b(?:frazil (?:train|import|synth|run|calibrate)|h5clear)\b")
_SWITCHES = {"overwrite", "verify", "allow-larger", "break-hard-links", "in-place", "dry-run"}
# Keys of `precision=`, by the command's options.
_PRECISION = {
    "abs-error": "absolute_tolerance",
    "rel-error": "relative_tolerance_percent",
    "finest-abs-error": "relative_err_finest_abs_tolerance",
    "bits": "significant_bits",
    "digits": "significant_digits",
    "nbits": "nbits",
    "lossless": "lossless",
    "keep-information": "keep_information",
    "pack-integers": "pack_integers",
    "algorithm": "algorithm",
}


def in_python(text: str) -> str:
    """A message with parameters in place of the command's options."""
    if _COMMANDS_ONLY.search(text):
        return text
    for phrase, ours in _PHRASES.items():
        text = text.replace(phrase, ours)
    text = _BOUND.sub(_bound, text)
    text = _PACK.sub(_pack, text)
    text = _READABLE_BY.sub(r'readable_by="\1"', text)
    # What still stands in backticks are commands of other programs.
    parts = text.split("`")
    parts[::2] = (_OPTION.sub(_parameter, part) for part in parts[::2])
    return "`".join(parts)


def _bound(found: re.Match[str]) -> str:
    key = _PRECISION[f"{found[1]}-error"]
    return f'precision={{"{found[2]}": {{"{key}": {found[3]}}}}}'


def _pack(found: re.Match[str]) -> str:
    """A command that packs a file, as a call."""
    stated = [f'{key.replace("-", "_")}="{value}"' for key, value in _STATED.findall(found[1])]
    return f"frazil.pack({', '.join((repr(found[2]), repr(found[3]), *stated))})"


def _parameter(option: re.Match[str]) -> str:
    if key := _PRECISION.get(option[1]):
        return f'"{key}" in precision'
    name = option[1].replace("-", "_")
    if option[1] == "keep-chunks":
        return 'chunks="keep"'
    return f"{name}=True" if option[1] in _SWITCHES else f"{name}="
