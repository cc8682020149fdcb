"""Names that netCDF4's classes have and ours do not: errors say which of ours is meant."""

from __future__ import annotations

from typing import NoReturn

_OURS = {
    "createDimension": "add_dimension",
    "createVariable": "add_variable",
    "createGroup": "add_group",
    "setncattr": "set_attribute",
}


class OtherNames:
    """A class whose methods have other names in netCDF4."""

    def __getattr__(self, name: str) -> NoReturn:
        cause = f"{type(self).__name__!r} object has no attribute {name!r}"
        ours = _OURS.get(name)
        if ours is not None and hasattr(type(self), ours):
            cause += f"; netCDF4's {name} is {ours} here"
        raise AttributeError(cause, name=name, obj=self)
