"""The tables of the page of evidence: a document's rows beside those of today."""

from collections.abc import Callable

from evidence.results import Row, newest, published

AR5 = {"field": "precipitation", "filters": "none"}
# What the blog calls a file in the classic format, and the rows of today that are in no grid.
CLASSIC = "contiguous"
OTHERS = ("netCDF-C, unlimited", "netCDF-C, fixed", "nccopy", "h5py", "zarr", "NCO rew")
OURS = ("frazil, default", "frazil")
BLOG_CACHES = ("4", "32", "128")
SERIES_OF_FIVE = 5

# Table II's data sets and filters, by our families and names.
FAMILIES = {"ECOHAM": "ocean and land", "PETRA III": "detectors", "ECHAM": "atmosphere"}
FILTERS = {"mafisc": "MAFISC", "scil": "SCIL"}
OUR_FILTERS = (
    "frazil speed, plugins",
    "frazil balanced, any",
    "frazil balanced, plugins",
    "frazil balanced, frazil",
    "frazil archive, frazil",
)
# The WRF report's order.
WRF_COMPRESSIONS = ("off", "gzip-6", "shuffle+gzip-6", "szip", "shuffle+szip")

# Of the talk's table: which rows of today stand beside each output.
UFS = (
    ({"what": "raw binary in place of NEMSIO"}, None),
    ({"what": "netCDF, uncompressed"}, {"what": "frazil, uncompressed"}),
    ({"what": "netCDF, lossless"}, {"what": "frazil, lossless"}),
    ({"what": "netCDF, nbits 20"}, {"what": "frazil, nbits 20"}),
    ({"what": "netCDF, nbits 14"}, {"what": "frazil, nbits 14", "ranks": "1"}),
    (
        {"what": "parallel netCDF, nbits 14", "chunks": "default"},
        {"what": "frazil, nbits 14", "ranks": "4", "chunks": "default"},
    ),
    (
        {"what": "parallel netCDF, nbits 14", "chunks": "layer"},
        {"what": "frazil, nbits 14", "ranks": "4", "chunks": "layer"},
    ),
)


def grid(headings: list[str], cells: list[list[str]]) -> list[str]:
    rule = "|" + "---|" * len(headings)
    return [f"| {' | '.join(headings)} |", rule, *(f"| {' | '.join(line)} |" for line in cells)]


def ms(microseconds: str) -> str:
    return f"{float(microseconds) / 1000:.3g}"


def ufs() -> list[str]:
    today = newest("mpi-ufs")
    headings = ["output", "document: GB", "s", "netCDF today: ranks", "MB", "s"]
    headings += ["frazil: ranks", "MB", "s"]
    cells = []
    for row, (peer, ours) in zip(published("ufs_table").rows, UFS, strict=True):
        line = [row["output"], row["file_gb"], row["write_s"]]
        for where in (peer, ours):
            found = today.row(where) if where else None
            line += [found[key] for key in ("ranks", "output_mb", "wall_s")] if found else [""] * 3
        cells.append(line)
    return grid(headings, cells)


def pi() -> list[str]:
    today = newest("pi")
    cells = []
    for row in published("ufs_pi").rows:
        found = today.row({"digits": row["digits"]})
        cells.append([row["digits"], row["bits"], found["netcdf_c"], found["frazil"]])
    return grid(["digits", "document", "netCDF-C today", "frazil"], cells)


def shapes() -> dict[str, Row]:
    """Today's rows of the blog's field by chunk shape."""
    rows = newest("chunks").some(AR5)
    found = {row["chunk"]: row for row in rows if row["origin"] == "grid"}
    (classic,) = (row for row in rows if row["origin"] == "classic")
    return found | {CLASSIC: classic}


def beyond_the_grid() -> list[Row]:
    rows = newest("chunks").some(AR5)
    return [row for name in (*OTHERS, *OURS) for row in rows if row["origin"] == name]


def named(row: Row) -> str:
    bold = "**" if row["origin"] in OURS else ""
    return f"{bold}{row['origin']}{bold}: {row['chunk']}"


def five(row: Row) -> str:
    return f"{float(row['five_series_ms']) / SERIES_OF_FIVE:.3g}"


def in_columns(
    name: str, headings: list[str], today: Callable[[Row], list[str]], pairs: bool
) -> list[str]:
    """A line a chunk shape: the blog's figures by cache, then today's."""
    found, known = published(name).rows, shapes()
    blog: dict[str, dict[str, Row]] = {}
    for row in found:
        blog.setdefault(row["chunk"], {})[row["cache_mb"]] = row
    caches = BLOG_CACHES if pairs else ("1",)
    first = [f"map, {cache} MB" for cache in caches] + [f"series, {cache} MB" for cache in caches]
    cells = []
    for chunk, by_cache in blog.items():
        rows = [by_cache.get(cache) or by_cache.get("0") for cache in caches]
        theirs = [ms(row["map_us"]) for row in rows] + [ms(row["series_us"]) for row in rows]
        now = known.get(chunk)
        label = "classic file" if chunk == CLASSIC else chunk
        cells.append([label, *theirs, *(today(now) if now else ["not measured"] * len(headings))])
    for row in beyond_the_grid():
        cells.append([named(row), *[""] * len(first), *today(row)])
    head = ["chunk", *(f"document: {one}" for one in first), *(f"today: {one}" for one in headings)]
    return grid(head, cells)


def one_series() -> list[str]:
    def today(row: Row) -> list[str]:
        return [row["map_ms"], row["series_after_map_ms"]]

    return in_columns("ar5_one_series", ["map", "series after it"], today, pairs=True)


def series_first() -> list[str]:
    def today(row: Row) -> list[str]:
        return [row["map_after_series_ms"], row["series_ms"]]

    return in_columns("ar5_series_first", ["map after it", "series"], today, pairs=True)


def caches() -> list[str]:
    def today(row: Row) -> list[str]:
        return [*(row[f"sweep_{cache}_ms"] for cache in BLOG_CACHES), five(row)]

    headings = [*(f"map, {cache} MiB" for cache in BLOG_CACHES), "series"]
    return in_columns("ar5_caches", headings, today, pairs=True)


def chunks() -> list[str]:
    def today(row: Row) -> list[str]:
        return [row["sweep_1_ms"], five(row)]

    return in_columns("ar5_chunks", ["map, 1 MiB", "series"], today, pairs=False)


def default_cache() -> list[str]:
    cells = [
        ["document", row["chunk"], row["cache_mb"], ms(row["map_us"])]
        for row in published("ar5_default_cache").rows
    ]
    cells += [
        [f"today, {row['origin']}", row["chunk"], row["default_cache_mib"], row["map_ms"]]
        for row in newest("chunk-cache").rows
    ]
    return grid(["", "chunk", "cache, MB", "ms a map"], cells)


def scil() -> list[str]:
    today = newest("filters")
    keys = ("ratio", "write_s", "cpu_percent", "joules")
    headings = ["data set", "filter", "document: ratio", "s", "CPU, %", "energy"]
    headings += ["today: data", "ratio", "s", "CPU, %", "J"]
    cells = []
    for data_set, family in FAMILIES.items():
        for row in published("scil_table_2").some({"data_set": data_set}):
            name = FILTERS.get(row["filter"], row["filter"])
            found = today.row({"family": family, "filter": name})
            theirs = [row[key] for key in ("ratio", "runtime_s", "cpu_percent", "energy")]
            now = [found[key] for key in keys]
            cells.append([data_set, row["filter"], *theirs, family, *now])
        for name in OUR_FILTERS:
            found = today.row({"family": family, "filter": name})
            now = [found[key] for key in keys]
            cells.append(["", f"**{name}**", *[""] * 4, family, *now])
    return grid(headings, cells)


def columns(prefix: str, keys: dict[str, str], where: dict[str, str] | None = None) -> list[str]:
    """Rows of the results as they are, some of their columns."""
    rows = newest(prefix).some(where or {})
    return grid(list(keys), [[row[key] for key in keys.values()] for row in rows])


def fortran() -> list[str]:
    return columns(
        "model-figure",
        {
            "build": "build",
            "chunk": "chunk",
            "slice": "slice",
            "netcdf-fortran today, s": "netcdf_fortran_s",
            "of it output": "netcdf_fortran_io",
            "frazil, s": "frazil_s",
            "output": "frazil_io",
        },
    )


WRF_COLUMNS = {
    "way": "way",
    "tasks": "tasks",
    "frames": "frames",
    "first frame, s": "first_s",
    "a later frame, s": "later_s",
    "whole run, s": "wall_s",
    "MB": "output_mb",
}


def wrf_frames() -> list[str]:
    return columns("wrf-frames", WRF_COLUMNS)


def wrf_sizes() -> list[str]:
    return columns("wrf-sizes", WRF_COLUMNS)


def wrf_filters() -> list[str]:
    return columns("wrf-filters", WRF_COLUMNS)


def wrf_charts() -> list[str]:
    some = newest("filters").some({"family": "squall line"})
    shown = [row for name in WRF_COMPRESSIONS for row in some if row["filter"] == name]
    shown += [row for row in some if row["readers"] == "any" and row["goal"]]
    keys = ("filter", "file_mb", "write_s", "read_s")
    return grid(
        ["compression", "MB", "write, s", "read, s"], [[row[k] for k in keys] for row in shown]
    )


TABLES: dict[str, Callable[[], list[str]]] = {
    maker.__name__: maker
    for maker in (
        ufs,
        pi,
        one_series,
        series_first,
        caches,
        chunks,
        default_cache,
        scil,
        fortran,
        wrf_frames,
        wrf_sizes,
        wrf_filters,
        wrf_charts,
    )
}
