"""Builds the package with maturin, and with the libclang that pip fetched for the build.

bindgen looks for libclang among the system's libraries only, and the one from PyPI comes without
the compiler's own headers (stddef.h and the like).
"""

import importlib.util
import os
import subprocess
from pathlib import Path

from maturin import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def find_libclang() -> None:
    """Names the fetched libclang in the environment, unless another one is named."""
    found = importlib.util.find_spec("clang")
    if "LIBCLANG_PATH" in os.environ or found is None:
        return
    for folder in found.submodule_search_locations or ():
        native = Path(folder, "native")
        if native.is_dir():
            os.environ["LIBCLANG_PATH"] = str(native)
            ask = [os.environ.get("CC", "cc"), "-print-file-name=include"]
            headers = subprocess.run(ask, capture_output=True, text=True, check=False).stdout
            os.environ.setdefault("BINDGEN_EXTRA_CLANG_ARGS", f"-I{headers.strip()}")
            return


find_libclang()
