"""Cuts the bundled sample out of a WRF history file; see data/sample/README.md.

Dimensions, attributes, types and chunk shapes stay as WRF wrote them; variables and frames are left
out, and compression is undone: most models write raw files, and the demonstration packs one.

    python scripts/make_sample.py SQUALL_LINE.nc data/sample/squall_line_sample.nc
"""

import sys

import netCDF4

# Early frames, where the storm grows: neighbouring frames are alike, as in real output.
FRAMES = slice(8, 12)

# fmt: off
VARIABLES = {
    "Times", "XLAT", "XLONG", "XTIME", "ZNU", "ZNW", "ITIMESTEP", "U", "V", "W", "PH",
    "T", "P", "PB", "QVAPOR", "QCLOUD", "QRAIN", "QICE", "QSNOW", "QGRAUP", "Q2", "T2", "PSFC",
    "U10", "V10", "HGT", "LU_INDEX", "SINALPHA", "RAINC", "RAINNC", "GRAUPELNC", "SWDOWN",
    "OLR", "PBLH",
}
# fmt: on


def copy_variable(source: netCDF4.Variable, target: netCDF4.Dataset) -> None:
    copied = target.createVariable(
        source.name,
        source.dtype,
        source.dimensions,
        chunksizes=source.chunking(),
        endian=source.endian(),
    )
    for name in source.ncattrs():
        copied.setncattr(name, source.getncattr(name))
    copied.set_auto_maskandscale(False)
    copied[:] = source[FRAMES]


def make_sample(source_path: str, target_path: str) -> None:
    with (
        netCDF4.Dataset(source_path) as source,
        netCDF4.Dataset(target_path, "w", format=source.data_model) as target,
    ):
        source.set_auto_maskandscale(False)
        for name, dimension in source.dimensions.items():
            target.createDimension(name, None if dimension.isunlimited() else dimension.size)
        for name in source.ncattrs():
            target.setncattr(name, source.getncattr(name))
        # In the order of the source, whatever the order above.
        for name, variable in source.variables.items():
            if name in VARIABLES:
                copy_variable(variable, target)


if __name__ == "__main__":
    make_sample(*sys.argv[1:])
