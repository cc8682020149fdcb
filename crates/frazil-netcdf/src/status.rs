//! Status codes of the netCDF library, and what they say.
//!
//! Source: the `NC_E*` constants of netCDF-C's `netcdf.h`.

use frazil_types::ErrorCode;

use frazil_file::error::Error;

/// What a call of the netCDF library returns: 0, a negative `NC_E*`, or a positive `errno`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub i32);

/// Result of a call: what it returns, or why not.
pub type Outcome<T> = std::result::Result<T, Status>;

macro_rules! statuses {
    ($($(#[$text:meta])* $name:ident = $number:expr;)*) => {
        impl Status {
            $($(#[$text])* pub const $name: Self = Self($number);)*
        }
    };
}

statuses! {
    /// `NC_NOERR`
    NOERR = 0;
    /// `ENOENT` of the operating system: no such file.
    NO_SUCH_FILE = 2;
    /// `EACCES` of the operating system: access refused.
    ACCESS_DENIED = 13;
    /// `ENOSPC` of the operating system: the disk is full.
    NO_SPACE = 28;
    /// `NC_EBADID`
    EBADID = -33;
    /// `NC_EEXIST`
    EEXIST = -35;
    /// `NC_EINVAL`
    EINVAL = -36;
    /// `NC_EPERM`
    EPERM = -37;
    /// `NC_ENOTINDEFINE`
    ENOTINDEFINE = -38;
    /// `NC_EINDEFINE`
    EINDEFINE = -39;
    /// `NC_EINVALCOORDS`
    EINVALCOORDS = -40;
    /// `NC_EMAXDIMS`
    EMAXDIMS = -41;
    /// `NC_ENAMEINUSE`
    ENAMEINUSE = -42;
    /// `NC_ENOTATT`
    ENOTATT = -43;
    /// `NC_EATTMETA`
    EATTMETA = -107;
    /// `NC_EBADTYPE`
    EBADTYPE = -45;
    /// `NC_EBADDIM`
    EBADDIM = -46;
    /// `NC_EUNLIMPOS`
    EUNLIMPOS = -47;
    /// `NC_ENOTVAR`
    ENOTVAR = -49;
    /// `NC_EGLOBAL`: only variables have such.
    EGLOBAL = -50;
    /// `NC_ENOTNC`
    ENOTNC = -51;
    /// `NC_EMAXNAME`
    EMAXNAME = -53;
    /// `NC_EUNLIMIT`
    EUNLIMIT = -54;
    /// `NC_ECHAR`
    ECHAR = -56;
    /// `NC_EEDGE`
    EEDGE = -57;
    /// `NC_ESTRIDE`
    ESTRIDE = -58;
    /// `NC_EBADNAME`
    EBADNAME = -59;
    /// `NC_ERANGE`
    ERANGE = -60;
    /// `NC_ENOMEM`
    ENOMEM = -61;
    /// `NC_EVARSIZE`
    EVARSIZE = -62;
    /// `NC_EDIMSIZE`
    EDIMSIZE = -63;
    /// `NC_EIO`
    EIO = -68;
    /// `NC_EHDFERR`
    EHDFERR = -101;
    /// `NC_ENOTNC4`
    ENOTNC4 = -111;
    /// `NC_ESTRICTNC3`
    ESTRICTNC3 = -112;
    /// `NC_ENOPAR`: the file is not one that several processes write.
    ENOPAR = -114;
    /// `NC_EBADGRPID`
    EBADGRPID = -116;
    /// `NC_ETYPDEFINED`: it can get no more members.
    ETYPDEFINED = -118;
    /// `NC_EBADTYPID`
    EBADTYPID = -117;
    /// `NC_ELATEFILL`
    ELATEFILL = -122;
    /// `NC_ELATEDEF`
    ELATEDEF = -123;
    /// `NC_ENOGRP`
    ENOGRP = -125;
    /// `NC_EBADCHUNK`
    EBADCHUNK = -127;
    /// `NC_ENOTBUILT`
    ENOTBUILT = -128;
    /// `NC_EDISKLESS`
    EDISKLESS = -129;
    /// `NC_EFILTER`
    EFILTER = -132;
    /// `NC_ENOFILTER`
    ENOFILTER = -136;
}

impl Status {
    /// The library's words for it, as `nc_strerror` has them; of `NC_EFILTER`, they name what it
    /// nearly always is here.
    #[must_use]
    pub fn message(self) -> String {
        if self == Self::EFILTER {
            // Fortran has 80 characters for it.
            return "NetCDF: Filter error: ask for deflate or zstandard, not both (or bad parameters)"
                .to_owned();
        }
        frazil_container::netcdf::status_message(self.0)
    }
}

/// Why a call was refused: its status, and what there is to say beyond the status's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: Status,
    pub(super) detail: String,
}

/// Result of a call inside this module.
pub(super) type Answer<T> = std::result::Result<T, Refusal>;

impl Refusal {
    /// A refusal with words of its own.
    pub(super) fn new(status: Status, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
        }
    }

    /// A refusal with the words of an error of the engine, and a status that says more than its code.
    pub(super) fn of(status: Status, error: Error) -> Self {
        let Self { detail, .. } = Self::from(error);
        Self { status, detail }
    }

    /// The detail, or else the status's own words.
    pub(super) fn message(self) -> String {
        if self.detail.is_empty() {
            self.status.message()
        } else {
            self.detail
        }
    }
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        Self::new(status, "")
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let detail = match &error.cure {
            Some(cure) => format!("{error} ({cure})"),
            None => error.to_string(),
        };
        Self::new(status_of(error.code), detail)
    }
}

/// The status for an error of the engine.
fn status_of(code: ErrorCode) -> Status {
    match code {
        ErrorCode::InvalidArgument => Status::EINVAL,
        ErrorCode::NotFound => Status::NO_SUCH_FILE,
        ErrorCode::PermissionDenied => Status::ACCESS_DENIED,
        ErrorCode::AlreadyExists => Status::EEXIST,
        ErrorCode::NoSpace => Status::NO_SPACE,
        ErrorCode::Unsupported => Status::ENOTBUILT,
        ErrorCode::MissingFilter => Status::ENOFILTER,
        ErrorCode::MemoryBudget => Status::ENOMEM,
        ErrorCode::Locked => Status::EPERM,
        ErrorCode::Hdf5 | ErrorCode::NetCdf | ErrorCode::Corrupt => Status::EHDFERR,
        _ => Status::EIO,
    }
}
