"""Whose fault a crash, a hang or a lot of memory is: by what was running, as gdb shows it.

libhdf5 parses most of the metadata of HDF5 files. What crashes or loops inside its parser is
counted by itself; where no gdb is, h5py decides, which has the same parser.
"""

import re
import shutil
import subprocess

SECONDS = 120
# What only carries the blame on: the C library, the allocator, what ends a process.
CARRIERS = re.compile(
    r"^(_*(libc_|GI_|int_)|raise|abort|gsignal|pthread_|malloc|calloc|realloc|free|_*mem|_*str|_dl_"
    r"|\?\?|clone|start_thread|kill|syscall|futex|std::|core::|alloc::|__rust|rust_|<std|<core|<alloc"
    r"|_Unwind|__pthread|unlink_chunk|sysmalloc|tcache|checked_|__fortify|__stack_chk|poll|read|p?write"
    r"|pread|msort|_*(GI_+)?qsort)"
)
LIBRARIES = {
    "libhdf5": re.compile(r"^_?H5"),
    "netCDF-C": re.compile(r"^(_?nc[4x]?_|NC[34_]?[A-Za-z])"),
}
OWN = re.compile(r"frazil|lz4_flex|^pco::|^snap::|ZSTD|libdeflate|inflate|aec_|lzma")
FRAME = re.compile(r"^#\d+\s+(?:0x[0-9a-f]+ in )?(.+?) \(", re.MULTILINE)


def of_crash(words: list[str], limits) -> str:
    """Runs a command that crashes again: `libhdf5`, `netCDF-C`, `own` or `unknown`, and where."""
    told = _gdb("-ex", "run", "-ex", "bt 80", "--args", *words, limits=limits)
    return who(told)


def of_hang(process: int) -> str:
    """Looks at a process that does not end."""
    return who(_gdb("-p", str(process), "-ex", "thread apply all bt 80"))


def _gdb(*words: str, limits=None) -> str:
    if shutil.which("gdb") is None:
        return ""
    quiet = ["-ex", "set pagination off", "-ex", "set confirm off"]
    command = ["gdb", "-batch", "-nx", *quiet, *words]
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
            preexec_fn=limits,
        ).stdout.decode(errors="replace")  # fmt: skip
    except subprocess.TimeoutExpired:
        return ""


def who(told: str) -> str:
    """The innermost frame that tells whose code it was; of several threads a library's."""
    found = []
    for thread in re.split(r"^Thread ", told, flags=re.MULTILINE):
        for name in FRAME.findall(thread):
            library = next((of for of, names in LIBRARIES.items() if names.match(name)), None)
            if library is not None:
                return f"{library}: {name}"
            if OWN.search(name):
                found.append(f"own: {name}")
                break
            if not CARRIERS.match(name):
                break
    return found[0] if found else " < ".join(["unknown", *FRAME.findall(told)[:12]])
