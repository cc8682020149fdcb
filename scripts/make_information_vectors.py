"""Writes the golden vectors of the information analysis: fields, and what xbitinfo makes of them.

    python -m venv env && env/bin/pip install xbitinfo
    env/bin/python scripts/make_information_vectors.py

Fields are seeded and go to crates/frazil-plan/tests/data/information.bin, little-endian, one after
the other; information.json says what they are, with the mutual information of every bit position
and the bits to keep for 99 % along every axis, from xbitinfo's Python implementation.
"""

import json
import logging
from pathlib import Path

import numpy as np
import xarray as xr
import xbitinfo

DATA = Path(__file__).resolve().parent.parent / "crates" / "frazil-plan" / "tests" / "data"


def smooth(rng, shape, scales):
    """A random field with a correlation length along every axis, of mean 0 and deviation 1."""
    field = rng.standard_normal(shape)
    for axis, scale in enumerate(scales):
        frequency = np.fft.fftfreq(shape[axis])
        reshaped = [1] * len(shape)
        reshaped[axis] = shape[axis]
        gain = np.exp(-0.5 * (2 * np.pi * scale * frequency) ** 2).reshape(reshaped)
        field = np.fft.ifft(np.fft.fft(field, axis=axis) * gain, axis=axis).real
    return (field - field.mean()) / field.std()


def fields():
    rng = np.random.default_rng(2021)
    temperature = 280 + 15 * smooth(rng, (6, 30, 64), (1, 3, 6))
    temperature += 0.02 * rng.standard_normal(temperature.shape)
    yield "temperature", temperature.astype("<f4")
    wind = 8 * smooth(rng, (12, 24, 40), (2, 2, 2)) + 0.3 * rng.standard_normal((12, 24, 40))
    yield "wind", wind.astype("<f4")
    tracer = np.exp(3 * smooth(rng, (60, 120), (2, 5)) - 15)
    tracer *= 1 + 0.01 * rng.standard_normal(tracer.shape)
    yield "tracer", tracer.astype("<f4")
    series = np.cumsum(rng.standard_normal(6000))
    yield "series", series.astype("<f8")
    pressure = 1e5 + 800 * smooth(rng, (40, 150), (4, 8)) + rng.standard_normal((40, 150))
    yield "pressure", pressure.astype("<f8")
    rain = np.maximum(smooth(rng, (10, 20, 50), (1, 2, 3)) - 0.5, 0) ** 2
    yield "rain", rain.astype("<f4")


def main():
    logging.disable(logging.CRITICAL)
    entries, content = [], b""
    for name, values in fields():
        dims = [f"d{axis}" for axis in range(values.ndim)]
        dataset = xr.Dataset({name: (dims, values.astype(values.dtype.newbyteorder("=")))})
        information, keep = [], []
        for axis in range(values.ndim):
            bits = xbitinfo.get_bitinformation(dataset, axis=axis, implementation="python")
            information.append([float(x) for x in bits[name].values])
            keep.append(int(xbitinfo.get_keepbits(bits, inflevel=0.99)[name].values.item()))
        entries.append(
            {
                "name": name,
                "bytes": values.dtype.itemsize,
                "shape": list(values.shape),
                "information": information,
                "keepbits": keep,
            }
        )
        content += values.tobytes()
    (DATA / "information.bin").write_bytes(content)
    version = xbitinfo.__version__
    (DATA / "information.json").write_text(
        json.dumps({"xbitinfo": version, "fields": entries}) + "\n"
    )


if __name__ == "__main__":
    main()
