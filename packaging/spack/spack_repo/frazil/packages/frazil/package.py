# Licensed under MIT or Apache-2.0, at your choice.

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Frazil(Package):
    """Parallel, self-deciding compression for standard netCDF-4/HDF5 files: the command, libfrazil
    for C and Fortran, HDF5 plugins, and on request what joins it with MPI and Python."""

    homepage = "https://github.com/frazil-io/frazil"
    git = "https://github.com/frazil-io/frazil.git"

    license("MIT OR Apache-2.0")

    # Releases follow as `version("1.0.0", tag="v1.0.0")`.
    version("main", branch="main")

    variant("fortran", default=True, description="Install the Fortran modules")
    variant("mpi", default=False, description="Install what joins libfrazil and MPI")
    variant("python", default=False, description="Install the Python package")

    extends("python@3.11:", when="+python")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("gmake", type="build")
    depends_on("rust@1.90:", type="build")
    depends_on("cmake@3.26:", type="build")
    # bindgen loads libclang.
    depends_on("llvm+clang", type="build")
    depends_on("binutils", type="build")
    depends_on("mpi", when="+mpi")
    with when("+python"):
        depends_on("py-pip", type="build")
        depends_on("py-maturin@1.9:1", type="build")
        depends_on("py-numpy@2:", type=("build", "run"))

    requires("platform=linux", msg="frazil is built and tested on Linux")

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo"))

    def install(self, spec: Spec, prefix: Prefix) -> None:
        targets = ["install-command", "install-c", "install-preload", "install-plugins"]
        make(*targets, f"PREFIX={prefix}")
        if spec.satisfies("+fortran"):
            compilers = [f"FC={spack_fc}", f"CC={spack_cc}"]
            make("-C", "fortran", "install", f"PREFIX={prefix}", *compilers)
        if spec.satisfies("+mpi"):
            make("-C", "mpi", "install", f"PREFIX={prefix}", f"CC={spec['mpi'].mpicc}")
        if spec.satisfies("+python"):
            with working_dir("python"):
                pip = spec["python"].command
                pip.add_default_arg("-m", "pip")
                pip(
                    "install",
                    "--no-deps",
                    "--no-build-isolation",
                    "--no-index",
                    f"--prefix={prefix}",
                    ".",
                )

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.prepend_path("HDF5_PLUGIN_PATH", self.prefix.lib.frazil.plugins)

    def test_pack(self) -> None:
        """a test field is packed, and its values stay"""
        frazil = Executable(self.prefix.bin.frazil)
        frazil("synth", "--pattern", "simplex206", "--shape", "18x36", "-o", "field.nc")
        frazil("pack", "field.nc", "-o", "packed.nc", "--verify")
