# %% [markdown]
# # Write smaller
#
# frazil chooses chunk shapes, filters and levels by trial on your data, packs on all cores, and writes files that every
# netCDF program reads. By default it rounds nothing; [another page](choose_precision.py) shows how.
#
# Run this from the repository's root, where the sample is. If you name a file of your own, also name its variables and
# dimensions: the cells use those of the sample.

# %%
import frazil
import xarray as xr

sample = "data/sample/squall_line_sample.nc"

# %% [markdown]
# ## An existing file
#
# First, look at what frazil would do. This writes no file.

# %%
plan = frazil.plan(sample)
plan

# %% [markdown]
# Now pack it. frazil compares the result with the original, value by value, before the result gets its name.

# %%
report = frazil.pack(sample, "packed.nc", verify=True)
print(report)

# %%
frazil.verify(sample, "packed.nc")

# %% [markdown]
# With `in_place=True`, frazil replaces the file itself, once the new one is verified. `frazil.unpack` undoes packing.

# %% [markdown]
# ## A dataset
#
# `ds.frazil.to_netcdf` is the same as `frazil.to_netcdf`. It takes the encodings of the engine `netcdf4`, and decides what
# you do not state.

# %%
dataset = xr.open_dataset(sample, engine="frazil", decode_times=False)
dataset.frazil.to_netcdf("dataset.nc", unlimited_dims="Time")
frazil.info("dataset.nc").variables[0]

# %% [markdown]
# frazil writes dask arrays block by block, in bounded memory. Blocks need not fit the file's chunks: frazil gathers whole
# chunks from them, and packs each once.

# %%
blocks = dataset[["T", "W"]].chunk(Time=1, west_east=70)
frazil.to_netcdf(blocks, "blocks.nc", memory=64 << 20)
xr.open_dataset("blocks.nc", engine="netcdf4", decode_times=False).T.encoding["chunksizes"]

# %% [markdown]
# You can add values to a file later. It changes by one commit at the end. Until then readers see the old file, also if the
# program dies.

# %%
frazil.to_netcdf(dataset[["T"]], "growing.nc", unlimited_dims="Time")
frazil.to_netcdf(dataset[["T"]], "growing.nc", append_dim="Time")
xr.open_dataset("growing.nc", engine="frazil", decode_times=False).sizes["Time"]

# %% [markdown]
# Readers with filter plugins can have Zstandard, which packs and unpacks faster.

# %%
frazil.pack(sample, "zstd.nc", readable_by="plugins").variables[0]

# %% [markdown]
# ## A running program
#
# A `Writer` takes slices of any size in any order, and packs in the background.

# %%
with frazil.Writer("run.nc") as writer:
    writer.add_dimension("time", None)
    writer.add_dimension("x", dataset.sizes["west_east"])
    pressure = writer.add_variable("p", "f4", ["time", "x"], attrs={"units": "Pa"})
    for step in range(4):
        pressure[step] = dataset.P[step, 0, 0].values
        writer.sync()  # now readers see it
writer.report
