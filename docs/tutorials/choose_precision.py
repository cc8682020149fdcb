# %% [markdown]
# # Choose precision
#
# Most numbers in model output carry more bits than the model knows. Those bits are noise, and most of the file. frazil
# rounds them away if you ask for it, proves for every value that no error is larger than stated, and writes the
# statement into the file. [Precision](../precision.md) has the details.
#
# Run this from the repository's root, where the sample is. If you name a file of your own, also name its variables and
# dimensions: the cells use those of the sample.

# %%
import frazil
import xarray as xr

sample = "data/sample/squall_line_sample.nc"

# %% [markdown]
# ## How much do the values know?
#
# The information in each bit says how much it tells about the value next to it. Real information sits in the first
# bits; what is left is noise.

# %%
analysis = frazil.analyze(sample)
analysis

# %% [markdown]
# ## State digits, a bound, or a share of the information

# %%
requests = {
    "every bit": None,
    "four digits": {"*": {"significant_digits": 4}},
    "a thousandth": {"*": {"relative_tolerance_percent": 0.1}},
    "99 % of the information": {"*": {"keep_information": 0.99}},
}
reports = {}
for number, (name, request) in enumerate(requests.items()):
    reports[name] = frazil.pack(sample, f"{number}.nc", precision=request)
for name, report in reports.items():
    print(f"{name:25} {report.output_file_bytes / 1e6:6.2f} MB")

# %% [markdown]
# These choices are not equal. Digits and bounds say how large an error can be; a share of information does not, and
# errs by much where values vary little around a large mean. frazil says so where it is coarse:

# %%
for notice in reports["99 % of the information"].notices:
    print(notice)

# %% [markdown]
# So state an absolute bound, too, for what matters.

# %%
share = {"keep_information": 0.99}
capped = {
    "*": share,
    "T": share | {"absolute_tolerance": 0.05},
    "W": share | {"absolute_tolerance": 0.01},
}
report = frazil.pack(sample, "capped.nc", precision=capped)
print(f"with bounds for T and W: {report.output_file_bytes / 1e6:.2f} MB")

# %% [markdown]
# You can state precision by variable, with names and patterns. Coordinates and variables that a model restarts from stay
# exact.

# %%
rules = {
    "*": {"significant_digits": 4},
    "Q*": {"significant_digits": 3},
    "W": {"absolute_tolerance": 0.01},
    "P*": None,
}
frazil.pack(sample, "rules.nc", precision=rules)
found = xr.open_dataset("rules.nc", engine="frazil", decode_times=False)
{key: value for key, value in found.W.attrs.items() if key.startswith("quantization")}

# %% [markdown]
# ## Prove it
#
# `verify` compares every value with the original, and checks the bound that the file states.

# %%
verdict = frazil.verify(sample, "rules.nc")
print(verdict)

# %%
original = xr.open_dataset(sample, engine="frazil", decode_times=False)
float(abs(found.W - original.W).max())

# %% [markdown]
# ## While writing
#
# `frazil.to_netcdf` and `Writer.add_variable` take the same `precision`.

# %%
original[["T", "W"]].frazil.to_netcdf("written.nc", precision={"T": {"significant_digits": 3}})
xr.open_dataset("written.nc", engine="netcdf4", decode_times=False).T.attrs["quantization_nsd"]
