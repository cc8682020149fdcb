"""xarray's own fixtures, for its backend tests."""

import pytest
import xarray.tests.conftest as xarrays


@pytest.fixture(params=["s", "ms", "us", "ns"])
def time_unit(request):
    return request.param


use_dask = xarrays.use_dask
