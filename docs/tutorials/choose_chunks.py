# %% [markdown]
# # Choose chunks
#
# A netCDF-4 file keeps each variable in chunks, and a reader unpacks whole chunks. Chunks that suit maps are slow for
# time series, and the other way round. frazil chooses their shapes for the reads that you expect.

# %%
import frazil
import numpy as np
import xarray as xr

# %% [markdown]
# ## Map after map
#
# Models write map after map. So a naive file has one map in each chunk.

# %%
hours, lats, lons = 360, 60, 90
rng = np.random.default_rng(7)
weather = np.cumsum(rng.normal(size=(hours, 1, 1)), axis=0)
zonal = 30 * np.cos(np.linspace(-1.5, 1.5, lats))[None, :, None]
values = (260 + zonal + weather + rng.normal(size=(hours, lats, lons))).astype("f4").round(1)
dataset = xr.Dataset({"t2m": (("time", "lat", "lon"), values, {"units": "K"})})
maps = {"t2m": {"chunksizes": (1, lats, lons), "zlib": True}}
dataset.to_netcdf("maps.nc", engine="netcdf4", encoding=maps)
frazil.open("maps.nc").variables["t2m"]

# %% [markdown]
# The picture shows how chunks cut the variable: time runs into the page. A series at one point needs all of the chunks.
#
# ## State the reads that you expect
#
# `reads` takes `map`, `series`, `profile`, `volume` and boxes, each with an optional weight.

# %%
for reads in ("map", "map,series", "series"):
    report = frazil.pack("maps.nc", f"{reads}.nc", reads=reads, axes={"time": "time"})
    print(f"{reads:12} chunks {report['t2m'].chunk}, {report.output_file_bytes / 1e6:.2f} MB")

# %%
frazil.open("map,series.nc").variables["t2m"]

# %%
frazil.open("series.nc").variables["t2m"]


# %% [markdown]
# ## Count the cost of reads
#
# A reader unpacks all chunks that a read touches, so the cost of the read is the number of their elements.


# %%
def touched(path, wanted):
    """Elements that are unpacked for a read, by those that are wanted."""
    chunk = frazil.open(path).variables["t2m"].chunks
    counts = [-(-n // c) for n, c in zip(wanted, chunk, strict=True)]
    return np.prod(counts) * np.prod(chunk) / np.prod(wanted)


reads = {"one map": (1, lats, lons), "one series": (hours, 1, 1)}
for path in ("maps.nc", "map.nc", "map,series.nc", "series.nc"):
    costs = ", ".join(f"{name} {touched(path, wanted):.0f}" for name, wanted in reads.items())
    print(f"{path:14} elements unpacked for each that is wanted: {costs}")

# %% [markdown]
# `frazil.plan` shows the choice and the reasons beforehand. The command `frazil plan FILE --plot plan.html` draws the cost
# of each read for all shapes compared. [Chunk shapes](../chunk_shapes.md) has the formula, and explains the role of
# storage.

# %%
frazil.plan("maps.nc", reads="map,series", storage="object-store", axes={"time": "time"})

# %% [markdown]
# ## The values are the same
#
# `verify` compares every value, whatever the chunks.

# %%
all(frazil.verify("maps.nc", f"{reads}.nc") for reads in ("map", "map,series", "series"))
