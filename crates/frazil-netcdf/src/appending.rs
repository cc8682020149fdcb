//! Which files frazil goes on writing in netCDF-C's stead: those of which its writer shows what its reader
//! shows, which is what netCDF-C would, and in which it can put values into every variable.

use std::path::Path;

use frazil_write::WriterOptions;

use crate::engine::Engine;
use crate::reading::Reading;
use crate::status::{Answer, Refusal, Status};
use crate::types::{
    AttributeValues, FORMAT_NETCDF4_CLASSIC, GLOBAL, GroupNumber, Mode, STRING, Storage,
};

/// What a file may be opened with that is served: `NC_WRITE`, `NC_SHARE`, and the format.
const SERVED: i32 = Mode::WRITE.0 | Mode::SHARE.0 | Mode::NETCDF4.0;

/// Opens a file to go on writing it, as it was opened; refused with the reason why netCDF-C must.
pub(super) fn open(path: &Path, mode: Mode, options: WriterOptions) -> Answer<Engine> {
    if mode.0 & !SERVED != 0 {
        return Err(not_served(format!("it is opened with mode {:#x}", mode.0)));
    }
    let as_read = Mode(mode.0 & !Mode::WRITE.0);
    let mut reading = Reading::open(path, as_read, &options).map_err(not_served)?;
    if !reading.keeps_order() {
        let why = "it does not keep the order of definition, which netCDF-C wants for writing";
        return Err(not_served(why.to_owned()));
    }
    let options = WriterOptions {
        classic_model: reading.inq_format()? == FORMAT_NETCDF4_CLASSIC,
        ..options
    };
    let mut engine = Engine::append_with_types(path, &options)?;
    let taken = take_over(&mut engine, &mut reading);
    match taken {
        Ok(None) => Ok(engine),
        Ok(Some(what)) => {
            engine.discard();
            Err(not_served(what))
        }
        Err(refusal) => {
            engine.discard();
            Err(refusal)
        }
    }
}

fn not_served(why: String) -> Refusal {
    Refusal::new(Status::ENOTBUILT, why)
}

/// Tells the writer what only the reader knows; the first thing that they show differently, or that the
/// writer cannot write.
fn take_over(engine: &mut Engine, reading: &mut Reading) -> Answer<Option<String>> {
    if engine.groups() != reading.groups() {
        return Ok(Some("its groups".to_owned()));
    }
    if engine.user_types() != reading.user_types() {
        return Ok(Some("its types".to_owned()));
    }
    for group in (0..engine.groups()).map(GroupNumber) {
        if have_same_dimensions(engine, reading, group)? {
            engine.remember_unlimited(group, &reading.inq_unlimdims(group)?)?;
        }
        let name = reading.inq_grpname_full(group)?;
        if let Some(what) = odd_group(engine, reading, group, &name)? {
            return Ok(Some(format!("{name}: {what}")));
        }
        let mut owners = reading.inq_varids(group)?;
        for &varid in &owners {
            take_over_variable(engine, reading, (group, varid))?;
            if let Some(what) = odd_variable(engine, reading, (group, varid))? {
                let variable = reading.inq_var(group, varid)?.name;
                return Ok(Some(format!("{variable}: {what}")));
            }
        }
        owners.push(GLOBAL);
        for varid in owners {
            if let Some(attribute) = odd_attribute(engine, reading, (group, varid))? {
                return Ok(Some(format!("{name}: the attribute {attribute}")));
            }
        }
    }
    Ok(None)
}

/// What is shown differently of a group.
fn odd_group(
    engine: &mut Engine,
    reading: &mut Reading,
    group: GroupNumber,
    name: &str,
) -> Answer<Option<&'static str>> {
    let (ours, theirs) = (engine.inq(group)?, reading.inq(group)?);
    let unlimited = (engine.inq_unlimdims(group)?, reading.inq_unlimdims(group)?);
    Ok(if engine.inq_grpname_full(group)? != name {
        Some("its place among the groups")
    } else if !have_same_dimensions(engine, reading, group)? {
        Some("its dimensions")
    } else if unlimited.0 != unlimited.1 || ours.unlimited != theirs.unlimited {
        Some("the order of its unlimited dimensions, which are several")
    } else if ours != theirs {
        Some("how many variables or attributes it has")
    } else {
        None
    })
}

fn have_same_dimensions(
    engine: &mut Engine,
    reading: &mut Reading,
    group: GroupNumber,
) -> Answer<bool> {
    let mut numbers = reading.inq_dimids(group, false)?;
    numbers.sort_unstable();
    if engine.inq_dimids(group, false)? != numbers {
        return Ok(false);
    }
    for dimid in numbers {
        if engine.inq_dim(group, dimid)? != reading.inq_dim(group, dimid)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn take_over_variable(
    engine: &mut Engine,
    reading: &mut Reading,
    (group, varid): (GroupNumber, i32),
) -> Answer<()> {
    let endian = reading.inq_var_endian(group, varid)?;
    let (storage, _) = reading.inq_var_chunking(group, varid)?;
    engine.remember_stored(group, varid, endian, storage == Storage::Compact)
}

/// What is odd about a variable.
fn odd_variable(
    engine: &mut Engine,
    reading: &mut Reading,
    (group, varid): (GroupNumber, i32),
) -> Answer<Option<String>> {
    if engine.inq_var(group, varid)? != reading.inq_var(group, varid)? {
        return Ok(Some("its definition".to_owned()));
    }
    let (ours, theirs) = (
        engine.inq_var_fill(group, varid)?,
        reading.inq_var_fill(group, varid)?,
    );
    let is_unfilled = ours.no_fill != 0;
    let is_same = is_unfilled == (theirs.no_fill != 0)
        && (is_unfilled || are_same(&ours.value, &theirs.value));
    if !is_same {
        return Ok(Some("its fill value".to_owned()));
    }
    if engine.inq_var_chunking(group, varid)? != reading.inq_var_chunking(group, varid)? {
        return Ok(Some("its storage".to_owned()));
    }
    if reading.inq_var_quantize(group, varid)?.0 != 0 {
        return Ok(Some(
            "its rounding, which goes on with what is put".to_owned(),
        ));
    }
    engine.why_not_put(group, varid)
}

/// The first attribute that is shown differently.
fn odd_attribute(
    engine: &mut Engine,
    reading: &mut Reading,
    (group, varid): (GroupNumber, i32),
) -> Answer<Option<String>> {
    let attributes = match varid {
        GLOBAL => reading.inq(group)?.attributes,
        _ => reading.inq_var(group, varid)?.attributes,
    };
    for number in 0..attributes {
        let name = reading.inq_attname(group, varid, number)?;
        let ours = engine.inq_attname(group, varid, number);
        let texts = reading.get_att_strings(group, varid, &name);
        // The writer knows no text that is not there.
        let is_whole = texts.is_ok_and(|texts| texts.iter().all(Option::is_some));
        let is_same = ours.is_ok_and(|ours| ours == name)
            && (is_whole || !is_of_strings(reading, (group, varid), &name)?)
            && match engine.attribute(group, varid, &name) {
                Ok(ours) => are_same(&ours, &reading.attribute(group, varid, &name)?),
                Err(_) => false,
            };
        if !is_same {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn is_of_strings(
    reading: &mut Reading,
    (group, varid): (GroupNumber, i32),
    name: &str,
) -> Answer<bool> {
    Ok(reading.inq_att(group, varid, name)?.nc_type == STRING)
}

/// Whether values are the same, bit by bit.
fn are_same(ours: &AttributeValues, theirs: &AttributeValues) -> bool {
    match (ours, theirs) {
        (AttributeValues::Atomic(ours), AttributeValues::Atomic(theirs)) => {
            ours.nc_type() == theirs.nc_type() && ours.to_native_bytes() == theirs.to_native_bytes()
        }
        (ours, theirs) => ours == theirs,
    }
}
