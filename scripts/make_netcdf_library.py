#!/usr/bin/env python3
"""Makes a libnetcdf.so that writes with frazil.

    scripts/make_netcdf_library.py MESSAGES ROUTER FOLDER

It is netCDF-C, as it is built into libfrazil, with the names that `frazil run` preloads in front
of it: what these send to "the program's own library" goes to functions of netCDF-C with the prefix
`bundled_`, and netCDF-C calls these for itself. HDF5 and zlib are inside, and none of their names
is seen outside.

MESSAGES is what `cargo --message-format json` said when it built libfrazil, ROUTER the static
library of the crate frazil-preload. FOLDER gets the library and its headers; that for MPI goes into
its folder `mpi`. For ELF (Linux); needs cc, ar, nm, objcopy and strip of GNU binutils.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# These call netCDF for a program's files, which may be frazil's: the second version of the
# interface, and the auxiliary functions.
OUTER = {"dv2i.c.o", "daux.c.o"}
# What may hold libraries that netCDF-C needs, and their names.
NEEDED = ("libhdf5_hl.a", "libhdf5.a", "libz.a", "libsz.a", "libaec.a")
# Other releases export it without logging too, and then it does nothing.
NO_LOG = "int nc_set_log_level(int level) { (void)level; return 0; }\n"


def run(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stderr}")
    return done.stdout


def said_by_cargo(messages: Path) -> list[dict]:
    lines = messages.read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def out_folders(said: list[dict]) -> dict[str, Path]:
    """Where build scripts have put what they built, by package."""
    outs = [Path(one["out_dir"]) for one in said if one["reason"] == "build-script-executed"]
    # .../build/NAME-0123456789abcdef/out
    return {out.parent.name.rpartition("-")[0]: out for out in outs}


def source_of_netcdf(said: list[dict]) -> Path:
    """The folder of netCDF-C's sources."""
    manifests = [one["manifest_path"] for one in said if one["reason"] == "compiler-artifact"]
    package = next(Path(it).parent for it in manifests if "netcdf-src" in Path(it).parent.name)
    return package / "source"


def global_names(*paths: Path) -> set[str]:
    rows = [line.split() for line in run("nm", "-g", "--defined-only", *paths).splitlines()]
    return {row[2] for row in rows if len(row) == 3 and row[1] in "TDBRVW"}


def objects(archive: Path, routed: set[str], work: Path) -> list[Path]:
    """netCDF-C's objects; those inside call its own functions."""
    run("ar", "x", "--output", work, archive)
    names = work / "names"
    names.write_text("".join(f"{name} bundled_{name}\n" for name in sorted(routed)))
    for path in work.glob("*.o"):
        if path.name not in OUTER:
            run("objcopy", f"--redefine-syms={names}", path)
    return sorted(work.glob("*.o"))


def soname(headers: Path) -> str:
    """As the release that is built in has it: CMakeLists.txt of netCDF-C, netCDF_SO_VERSION."""
    text = (headers / "netcdf_meta.h").read_text()
    version = tuple(int(it) for it in re.findall(r"NC_VERSION_(?:MAJOR|MINOR)\s+(\d+)", text))
    number = {(4, 9): 19, (4, 10): 22}.get(version)
    if number is None:
        sys.exit(f"netCDF-C {version}: which number its library has is not known here")
    return f"libnetcdf.so.{number}"


def main() -> None:
    messages, router, folder = map(Path, sys.argv[1:])
    said = said_by_cargo(messages)
    folders = out_folders(said)
    built = folders["netcdf-src"]
    archive, headers = built / "lib/libnetcdf.a", built / "include"
    routed = {name for name in global_names(router) if re.match(r"nc_", name)}
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "include").mkdir(parents=True)
    for header in headers.glob("netcdf*.h"):
        shutil.copy(header, folder / "include")
    (folder / "mpi").mkdir()
    shutil.copy(source_of_netcdf(said) / "include/netcdf_par.h", folder / "mpi")
    name = soname(headers)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        parts = objects(archive, routed, work)
        if "nc_set_log_level" not in global_names(*parts):
            source = work / "log_level.c"
            source.write_text(NO_LOG)
            run("cc", "-O2", "-fPIC", "-c", source, "-o", work / "log_level.o")
            parts.append(work / "log_level.o")
        seen = global_names(*parts) | routed
        script = work / "version"
        script.write_text(
            "{ global:\n" + "".join(f"{it};\n" for it in sorted(seen)) + "local: *; };\n"
        )
        found = [path for out in folders.values() for path in out.glob("**/lib*.a")]
        needed = [next((it for it in found if it.name == one), None) for one in NEEDED]
        run(
            *("cc", "-shared", "-o", folder / name, f"-Wl,-soname,{name}", "-Wl,-Bsymbolic"),
            *(f"-Wl,--version-script={script}", "-Wl,--gc-sections", "-Wl,-z,defs", "-Wl,-z,now"),
            *(*parts, "-Wl,--whole-archive", router, "-Wl,--no-whole-archive"),
            *("-Wl,--start-group", *filter(None, needed), "-Wl,--end-group"),
            *("-lpthread", "-ldl", "-lm", "-lc", "-lgcc_s"),
        )
    run("strip", "--strip-unneeded", folder / name)
    (folder / "libnetcdf.so").symlink_to(name)


if __name__ == "__main__":
    main()
