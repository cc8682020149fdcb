//! Writing a classic file through netCDF-C.

use std::ffi::c_int;
use std::path::{Path, PathBuf, absolute};

use super::error::ClassicError;
use super::format::ClassicFormat;
use super::model::{ClassicAttribute, ClassicModel};
use crate::ffi::netcdf::{NetCdfFile, NetCdfStatus, library_version};

/// Version of the netCDF-C behind the writer.
#[must_use]
pub fn netcdf_version() -> String {
    library_version()
}

/// A classic file being written: defined by a model at once, then filled box by box.
///
/// Nothing is filled in advance: elements that are never put are undefined. Dropped before
/// [`finish`](Self::finish), the file is left incomplete and for the caller to remove.
#[derive(Debug)]
pub struct ClassicWriter {
    file: NetCdfFile,
    variables: Vec<(String, c_int)>,
}

impl ClassicWriter {
    /// Creates a file, or replaces an existing one, with the dimensions, attributes and variables
    /// of a model. The record dimension begins with length 0, whatever the model says, and grows as
    /// records are put.
    ///
    /// # Errors
    /// [`ClassicError::NotRepresentable`] if the format cannot hold the model,
    /// [`ClassicError::InvalidArgument`] for a path that netCDF-C would bend,
    /// [`ClassicError::NetCdf`] if it refuses.
    pub fn create(
        path: impl AsRef<Path>,
        format: ClassicFormat,
        model: &ClassicModel,
    ) -> Result<Self, ClassicError> {
        format.check(model)?;
        Self::define(path.as_ref(), format, model)
    }

    /// As [`create`](Self::create), but whether the model fits is left to netCDF-C.
    pub(super) fn define(
        path: &Path,
        format: ClassicFormat,
        model: &ClassicModel,
    ) -> Result<Self, ClassicError> {
        let path = unbent(path)?;
        let create = || format!("create {}", path.display());
        let mut file = NetCdfFile::create(&path, format).map_err(doing(create))?;
        file.set_no_fill().map_err(doing(create))?;
        let dimids = define_dimensions(&mut file, model)?;
        put_attributes(&mut file, None, "", &model.attributes)?;
        let mut variables = Vec::with_capacity(model.variables.len());
        for variable in &model.variables {
            let ids = variable.dimensions.iter().filter_map(|&id| dimids.get(id));
            let ids: Vec<c_int> = ids.copied().collect();
            let varid = file
                .def_var(&variable.name, variable.nc_type, &ids)
                .map_err(doing(|| format!("define variable `{}`", variable.name)))?;
            put_attributes(&mut file, Some(varid), &variable.name, &variable.attributes)?;
            variables.push((variable.name.clone(), varid));
        }
        file.end_def()
            .map_err(doing(|| "write the header".to_owned()))?;
        Ok(Self { file, variables })
    }

    /// Writes the box of `count` elements from `start` of the variable at this position in the
    /// model. `native_bytes` are its values in C order and in this machine's byte order.
    ///
    /// # Errors
    /// [`ClassicError::InvalidArgument`] if there is no such variable,
    /// [`ClassicError::NetCdf`] if the box, the number of bytes or the system is wrong.
    pub fn put(
        &mut self,
        variable: usize,
        start: &[u64],
        count: &[u64],
        native_bytes: &[u8],
    ) -> Result<(), ClassicError> {
        let Some((name, varid)) = self.variables.get(variable) else {
            let what = format!("there is no variable number {variable}");
            return Err(ClassicError::InvalidArgument { what });
        };
        let (start, count) = (native(start)?, native(count)?);
        self.file
            .put_vara(*varid, &start, &count, native_bytes)
            .map_err(doing(|| {
                format!("write {count:?} elements at {start:?} of variable `{name}`")
            }))
    }

    /// Writes what is buffered and closes the file.
    ///
    /// # Errors
    /// [`ClassicError::NetCdf`] if the system refuses.
    pub fn finish(self) -> Result<(), ClassicError> {
        self.file
            .close()
            .map_err(doing(|| "close the file".to_owned()))
    }
}

fn define_dimensions(
    file: &mut NetCdfFile,
    model: &ClassicModel,
) -> Result<Vec<c_int>, ClassicError> {
    let mut define = |name: &str, length| {
        file.def_dim(name, length)
            .map_err(doing(|| format!("define dimension `{name}`")))
    };
    model
        .dimensions
        .iter()
        .map(|item| define(&item.name, (!item.is_record).then_some(item.length)))
        .collect()
}

fn put_attributes(
    file: &mut NetCdfFile,
    varid: Option<c_int>,
    owner: &str,
    attributes: &[ClassicAttribute],
) -> Result<(), ClassicError> {
    for attribute in attributes {
        file.put_att(varid, &attribute.name, &attribute.value)
            .map_err(doing(|| {
                format!("write attribute `{owner}:{}`", attribute.name)
            }))?;
    }
    Ok(())
}

/// An absolute path, so that netCDF-C takes it neither for a URL nor strips leading blanks. It turns
/// backslashes into slashes on every system, and two leading slashes into a Windows share.
fn unbent(path: &Path) -> Result<PathBuf, ClassicError> {
    let invalid = |why: &str| ClassicError::InvalidArgument {
        what: format!("{}: {why}", path.display()),
    };
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.contains(&b'\\') || bytes.starts_with(b"//") {
        return Err(invalid(
            "netCDF-C cannot write to a path with a backslash or two leading slashes",
        ));
    }
    absolute(path).map_err(|error| invalid(&error.to_string()))
}

fn native(numbers: &[u64]) -> Result<Vec<usize>, ClassicError> {
    let numbers = numbers.iter().map(|&number| usize::try_from(number));
    numbers
        .collect::<Result<_, _>>()
        .map_err(|error| ClassicError::InvalidArgument {
            what: error.to_string(),
        })
}

fn doing(words: impl Fn() -> String) -> impl FnOnce(NetCdfStatus) -> ClassicError {
    move |status| ClassicError::NetCdf {
        code: status.code,
        message: status.message,
        doing: words(),
    }
}
