//! netCDF-C's own view of a file, to compare with.

#![expect(unsafe_code, reason = "the reference reader calls netCDF-C itself")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::ptr;

use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicModel, ClassicVariable, NcType,
};

/// A file open in netCDF-C.
pub(crate) struct Reference {
    ncid: c_int,
}

fn ok(status: c_int) {
    assert_eq!(status, netcdf_sys::NC_NOERR, "netCDF-C status");
}

/// Calls netCDF-C under the library lock.
macro_rules! call {
    ($function:ident($($argument:expr),*)) => {{
        let _lock = netcdf_sys::libnetcdf_lock.lock();
        // SAFETY: ids come from netCDF-C; buffers are as long as its inquiries said.
        ok(unsafe { netcdf_sys::$function($($argument),*) })
    }};
}

impl Reference {
    pub(crate) fn open(path: &Path) -> Self {
        let path = CString::new(path.to_str().unwrap()).unwrap();
        let mut ncid = 0;
        call!(nc_open(
            path.as_ptr(),
            netcdf_sys::NC_NOWRITE,
            &raw mut ncid
        ));
        Self { ncid }
    }

    /// `NC_FORMAT_CLASSIC` and so on.
    pub(crate) fn format(&self) -> c_int {
        let mut format = 0;
        call!(nc_inq_format(self.ncid, &raw mut format));
        format
    }

    pub(crate) fn model(&self) -> ClassicModel {
        let (mut dimensions, mut variables, mut attributes, mut record) = (0, 0, 0, 0);
        call!(nc_inq(
            self.ncid,
            &raw mut dimensions,
            &raw mut variables,
            &raw mut attributes,
            &raw mut record
        ));
        ClassicModel {
            dimensions: (0..dimensions)
                .map(|id| self.dimension(id, record))
                .collect(),
            attributes: self.attributes(netcdf_sys::NC_GLOBAL, attributes),
            variables: (0..variables).map(|id| self.variable(id)).collect(),
        }
    }

    fn dimension(&self, dimid: c_int, record: c_int) -> ClassicDimension {
        let mut name = Name::new();
        let mut length = 0;
        call!(nc_inq_dim(
            self.ncid,
            dimid,
            name.as_mut_ptr(),
            &raw mut length
        ));
        ClassicDimension {
            name: name.text(),
            length: length as u64,
            is_record: dimid == record,
        }
    }

    fn variable(&self, varid: c_int) -> ClassicVariable {
        let mut name = Name::new();
        let (mut xtype, mut rank, mut attributes) = (0, 0, 0);
        call!(nc_inq_varndims(self.ncid, varid, &raw mut rank));
        let mut dimids = vec![0; rank as usize];
        call!(nc_inq_var(
            self.ncid,
            varid,
            name.as_mut_ptr(),
            &raw mut xtype,
            ptr::null_mut(),
            dimids.as_mut_ptr(),
            &raw mut attributes
        ));
        ClassicVariable {
            name: name.text(),
            dimensions: dimids.into_iter().map(|id| id as usize).collect(),
            attributes: self.attributes(varid, attributes),
            nc_type: NcType::from_number(xtype as u32).unwrap(),
        }
    }

    fn attributes(&self, varid: c_int, count: c_int) -> Vec<ClassicAttribute> {
        (0..count)
            .map(|number| self.attribute(varid, number))
            .collect()
    }

    fn attribute(&self, varid: c_int, number: c_int) -> ClassicAttribute {
        let mut name = Name::new();
        call!(nc_inq_attname(self.ncid, varid, number, name.as_mut_ptr()));
        let (mut xtype, mut length) = (0, 0);
        call!(nc_inq_att(
            self.ncid,
            varid,
            name.as_ptr(),
            &raw mut xtype,
            &raw mut length
        ));
        let nc_type = NcType::from_number(xtype as u32).unwrap();
        let mut values = Values::new(length, nc_type);
        call!(nc_get_att(
            self.ncid,
            varid,
            name.as_ptr(),
            values.words.as_mut_ptr().cast()
        ));
        ClassicAttribute {
            name: name.text(),
            value: AttributeValue::from_be_bytes(nc_type, &values.to_be_bytes()),
        }
    }

    /// All values of a variable, big-endian and in C order.
    pub(crate) fn values(&self, varid: usize, model: &ClassicModel) -> Vec<u8> {
        let variable = &model.variables[varid];
        let shape: Vec<usize> = model.shape(variable).iter().map(|&n| n as usize).collect();
        let mut values = Values::new(shape.iter().product(), variable.nc_type);
        let start = vec![0; shape.len()];
        call!(nc_get_vara(
            self.ncid,
            varid as c_int,
            start.as_ptr(),
            shape.as_ptr(),
            values.words.as_mut_ptr().cast()
        ));
        values.to_be_bytes()
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        call!(nc_close(self.ncid));
    }
}

struct Name([c_char; 257]);

impl Name {
    fn new() -> Self {
        Self([0; 257])
    }

    fn as_mut_ptr(&mut self) -> *mut c_char {
        self.0.as_mut_ptr()
    }

    fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr()
    }

    fn text(&self) -> String {
        // SAFETY: netCDF-C ends names with a NUL, within `NC_MAX_NAME` + 1 bytes.
        let name = unsafe { CStr::from_ptr(self.0.as_ptr()) };
        name.to_str().unwrap().to_owned()
    }
}

/// Room for native values of one type, aligned for any.
struct Values {
    words: Vec<u64>,
    count: usize,
    size: usize,
}

impl Values {
    fn new(count: usize, nc_type: NcType) -> Self {
        let size = nc_type.size_bytes();
        Self {
            words: vec![0; (count * size).div_ceil(8)],
            count,
            size,
        }
    }

    fn to_be_bytes(&self) -> Vec<u8> {
        let native: Vec<u8> = self
            .words
            .iter()
            .flat_map(|word| word.to_ne_bytes())
            .collect();
        super::gather::swap_native_and_big(&native[..self.count * self.size], self.size)
    }
}
