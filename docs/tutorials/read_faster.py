# %% [markdown]
# # Read faster
#
# In most programs, one thread at a time reads netCDF-4 files: libhdf5 has one lock, and xarray holds another around it.
# frazil looks up the places of a variable's chunks once, and then reads and unpacks them on all cores, without a lock.
# The files do not change.
#
# Run this from the repository's root, where the sample is. If you name a file of your own, also name its variables and
# dimensions: the cells use those of the sample.

# %%
import time

import frazil
import numpy as np
import xarray as xr

sample = "data/sample/squall_line_sample.nc"

# %% [markdown]
# The sample is raw and small. Packed and repeated in time, it is more like real model output.

# %%
raw = xr.open_dataset(sample, engine="frazil", decode_times=False)
steps = xr.concat([raw[["T", "U", "W", "QVAPOR"]]] * 25, dim="Time")
frazil.to_netcdf(steps, "run.nc", unlimited_dims="Time")
frazil.info("run.nc")

# %% [markdown]
# ## With xarray
#
# Only the engine's name is new.

# %%
dataset = xr.open_dataset("run.nc", engine="frazil", decode_times=False)
dataset.T.isel(Time=slice(10, 20), south_north=0).mean().item()


# %%
def seconds(engine):
    began = time.perf_counter()
    with xr.open_dataset("run.nc", engine=engine, decode_times=False) as found:
        total = sum(float(found[name].values.sum()) for name in found)
    return time.perf_counter() - began, total


seconds("frazil"), seconds("netcdf4")  # the first call also loads modules
times = {engine: seconds(engine)[0] for engine in ("netcdf4", "frazil")}
print(f"the engine frazil is {times['netcdf4'] / times['frazil']:.1f} times as fast here")

# %% [markdown]
# With `chunks={}` the blocks of dask's arrays are whole multiples of the file's chunks, so that no chunk is unpacked
# twice. Threads of dask read side by side.

# %%
blocks = xr.open_dataset("run.nc", engine="frazil", chunks={}, decode_times=False)
blocks.T.chunks

# %%
blocks.T.std("Time").max().compute().item()

# %% [markdown]
# Many files are opened in parallel; an open file that is not being read costs a few kilobytes.

# %%
for part in range(4):
    frazil.to_netcdf(steps.isel(Time=slice(25 * part, 25 * part + 25)), f"run_{part}.nc")
many = xr.open_mfdataset(
    "run_*.nc", engine="frazil", combine="nested", concat_dim="Time", decode_times=False
)
many.sizes["Time"]

# %% [markdown]
# ## Without xarray

# %%
with frazil.open("run.nc") as file:
    temperature = file.variables["T"]
    print(temperature.shape, temperature.dims, temperature.chunks, temperature.dtype)
    column = temperature[-1, :, 0, 0]
column[:4]

# %% [markdown]
# If a read wants only a part of a chunk, frazil unpacks the whole chunk and keeps it for later reads, within one budget for
# all files of the process. `read_stats` says how often that helped.

# %%
with frazil.open("run.nc") as file:
    series = [file.variables["T"][:, level, 0, 0] for level in range(20)]
print(np.shape(series))
{key: value for key, value in frazil.read_stats().items() if key in ("hits", "misses", "hit_rate")}

# %% [markdown]
# [The benchmarks](../../bench/README.md) compare this with other readers, on larger files.
