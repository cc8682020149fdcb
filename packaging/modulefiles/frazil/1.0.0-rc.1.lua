-- For Lmod. Where the tree of `make install`, or of the tarball, lies:
local root = "/opt/frazil/1.0.0-rc.1"

help([[frazil packs netCDF-4 and HDF5 files in parallel. frazil --help, man frazil-pack]])
whatis("Name: frazil")
whatis("Version: 1.0.0-rc.1")
whatis("Description: parallel, self-deciding compression for standard netCDF-4/HDF5 files")

prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
prepend_path("LD_LIBRARY_PATH", pathJoin(root, "lib"))
prepend_path("LIBRARY_PATH", pathJoin(root, "lib"))
prepend_path("CPATH", pathJoin(root, "include"))
prepend_path("PKG_CONFIG_PATH", pathJoin(root, "lib/pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", root)
-- Other readers of this session then read what `--readable-by plugins` and `frazil` write.
prepend_path("HDF5_PLUGIN_PATH", pathJoin(root, "lib/frazil/plugins"))
