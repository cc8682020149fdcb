"""Names that netCDF4's classes have and ours do not: errors say which of ours is meant."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

_OURS = {
    "createDimension": "add_dimension",
    "createVariable": "add_variable",
    "createGroup": "add_group",
    "setncattr": "set_attribute",
    "setncattr_string": "set_attribute",
    "setncatts": "set_attribute",
}


class OtherNames:
    """A class whose methods have other names in netCDF4."""

    # Names that instances set beside private ones.
    _SETTABLE: ClassVar[frozenset[str]] = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        is_private = name[:1] == "_" and name[1:2].islower()
        # Classes that others derive have names of their own.
        is_derived = type(self).__module__.partition(".")[0] != __package__
        if is_private or is_derived or name in self._SETTABLE:
            object.__setattr__(self, name, value)
            return
        # It would be in no file, and nobody would know.
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}; an attribute of the file "
            f"is set by set_attribute({name!r}, value)",
            name=name,
            obj=self,
        )

    def __getattr__(self, name: str) -> NoReturn:
        cause = f"{type(self).__name__!r} object has no attribute {name!r}"
        ours = _OURS.get(name)
        if ours is not None and hasattr(type(self), ours):
            cause += f"; netCDF4's {name} is {ours} here"
        raise AttributeError(cause, name=name, obj=self)
