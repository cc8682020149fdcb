//! Values of types that programs define: into the caller's memory, copied, freed.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use frazil::netcdf::{Elements, Outcome, STRING, Status, TypeKind, UserTypes, UserValues};

use crate::nc::pointers::{list, store, store_all};
use crate::nc::{entries, strings, table, types};

/// `nc_vlen_t`: a number of elements, and where they are.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Sequence {
    len: usize,
    p: *mut c_void,
}

/// Writes values into memory; what they point to is the caller's to free.
///
/// # Safety
/// `place` is NULL or has room for the elements.
pub(crate) unsafe fn deliver(values: &UserValues, place: *mut c_void) -> Outcome<()> {
    if place.is_null() {
        return Ok(());
    }
    let mut memory: Vec<*mut u8> = vec![place.cast()];
    for part in values.parts().skip(1) {
        // SAFETY: `malloc` may be called with any size.
        let new = unsafe { libc::malloc(part.len().max(1)) }.cast::<u8>();
        if new.is_null() {
            for &part in &memory[1..] {
                // SAFETY: of `malloc`, and nobody has it yet.
                unsafe { libc::free(part.cast()) };
            }
            return Err(Status::ENOMEM);
        }
        memory.push(new);
    }
    for (part, &new) in values.parts().zip(&memory) {
        // SAFETY: new memory of that size, or the caller's with room for the elements.
        unsafe { ptr::copy_nonoverlapping(part.as_ptr(), new, part.len()) };
    }
    for pointer in values.pointers() {
        let (Some(&from), Some(&to)) = (memory.get(pointer.part), memory.get(pointer.target))
        else {
            return Err(Status::EINVAL);
        };
        // SAFETY: a pointer's place inside of that part; it need not be aligned.
        unsafe { from.add(pointer.at).cast::<*mut u8>().write_unaligned(to) };
    }
    Ok(())
}

/// Copies elements from memory, with what they point to.
///
/// # Safety
/// `memory` is NULL or holds `count` elements of the type.
pub(crate) unsafe fn collect(
    known: &UserTypes,
    xtype: c_int,
    memory: *const c_void,
    count: usize,
) -> Outcome<Elements> {
    let size = size_of_type(known, xtype)?;
    let bytes = size.checked_mul(count).ok_or(Status::EINVAL)?;
    // SAFETY: as this function's.
    let bytes = unsafe { list(memory.cast::<u8>(), bytes) }?;
    let mut elements = Elements::plain(size, bytes.to_vec());
    // SAFETY: as this function's.
    unsafe { collect_behind(known, (xtype, memory.cast(), count), 0, &mut elements) }?;
    Ok(elements)
}

/// Copies what elements point to that are a part already.
///
/// # Safety
/// As [`collect`].
unsafe fn collect_behind(
    known: &UserTypes,
    (xtype, memory, count): (c_int, *const u8, usize),
    part: usize,
    elements: &mut Elements,
) -> Outcome<()> {
    let no_room = |_| Status::ENOMEM;
    let mut copy = |place| match place {
        Place::Text(text) => {
            let at = text as usize - memory as usize;
            // SAFETY: as this function's.
            let text = unsafe { text.read_unaligned() };
            if text.is_null() {
                return Ok(());
            }
            // SAFETY: not NULL, and text by the caller's word.
            let text = unsafe { CStr::from_ptr(text) }.to_bytes_with_nul();
            elements.point((part, at), text).map(drop).map_err(no_room)
        }
        Place::Sequence(sequence, base) => {
            let at = sequence as usize - memory as usize;
            // SAFETY: as this function's.
            let from = unsafe { sequence.read_unaligned() };
            if from.len == 0 || from.p.is_null() {
                let bytes = size_of::<Sequence>();
                return elements.clear((part, at), bytes).map_err(no_room);
            }
            let bytes = size_of_type(known, base)?.checked_mul(from.len);
            let memory = from.p.cast::<u8>().cast_const();
            // SAFETY: as this function's.
            let behind = unsafe { list(memory, bytes.ok_or(Status::EINVAL)?) }?;
            let at = at + std::mem::offset_of!(Sequence, p);
            let target = elements.point((part, at), behind).map_err(no_room)?;
            // SAFETY: as this function's.
            unsafe { collect_behind(known, (base, memory, from.len), target, elements) }
        }
    };
    // SAFETY: as this function's; nothing is written.
    unsafe { each_pointer(known, xtype, memory.cast_mut(), count, &mut copy) }
}

/// Bytes of an element of a type.
fn size_of_type(known: &UserTypes, xtype: c_int) -> Outcome<usize> {
    match types::is_atomic(xtype) {
        true => Ok(types::describe(xtype)?.1),
        false => Ok(known.get(xtype)?.size_bytes),
    }
}

/// Whether elements point to something.
fn is_indirect(known: &UserTypes, xtype: c_int) -> Outcome<bool> {
    match types::is_atomic(xtype) {
        true => Ok(xtype == STRING),
        false => Ok(known.get(xtype)?.is_indirect),
    }
}

/// Does something with every place of elements at which a pointer is.
///
/// # Safety
/// `memory` holds `count` elements of the type.
unsafe fn each_pointer(
    known: &UserTypes,
    xtype: c_int,
    memory: *mut u8,
    count: usize,
    work: &mut dyn FnMut(Place) -> Outcome<()>,
) -> Outcome<()> {
    if !is_indirect(known, xtype)? {
        return Ok(());
    }
    let size = size_of_type(known, xtype)?;
    for index in 0..count {
        // SAFETY: one of the elements.
        let element = unsafe { memory.add(index * size) };
        if xtype == STRING {
            work(Place::Text(element.cast()))?;
            continue;
        }
        match &known.get(xtype)?.kind {
            TypeKind::VariableLength { base } => work(Place::Sequence(element.cast(), *base))?,
            TypeKind::Compound(fields) => {
                for field in fields {
                    let lengths = field.shape.iter().map(|&length| length.max(0) as usize);
                    // SAFETY: a field of the element.
                    unsafe {
                        let place = element.add(field.offset);
                        each_pointer(known, field.nc_type, place, lengths.product(), work)?;
                    }
                }
            }
            TypeKind::Enumeration { .. } | TypeKind::Opaque => {}
        }
    }
    Ok(())
}

/// Where a pointer is.
#[derive(Clone, Copy)]
enum Place {
    Text(*mut *mut c_char),
    /// With the type of its elements.
    Sequence(*mut Sequence, c_int),
}

/// Frees what values point to.
///
/// # Safety
/// `memory` holds `count` values of the type, and what they point to was allocated by C.
unsafe fn reclaim(known: &UserTypes, xtype: c_int, memory: *mut u8, count: usize) -> Outcome<()> {
    let mut free = |place| {
        match place {
            // SAFETY: as this function's; what was freed is not pointed to any more.
            Place::Text(text) => unsafe {
                strings::free(text.read_unaligned());
                text.write_unaligned(ptr::null_mut());
            },
            // SAFETY: as above.
            Place::Sequence(at, base) => unsafe {
                let found = at.read_unaligned();
                if found.len > 0 && !found.p.is_null() {
                    reclaim(known, base, found.p.cast(), found.len)?;
                    libc::free(found.p);
                }
                let none = Sequence {
                    len: 0,
                    p: ptr::null_mut(),
                };
                at.write_unaligned(none);
            },
        }
        Ok(())
    };
    // SAFETY: as this function's.
    unsafe { each_pointer(known, xtype, memory, count, &mut free) }
}

/// Replaces what copied elements point to by copies of it. Where that fails, what was not copied is not pointed to.
///
/// # Safety
/// `memory` holds `count` elements of the type, the bytes of others.
unsafe fn copy_behind(
    known: &UserTypes,
    xtype: c_int,
    memory: *mut u8,
    count: usize,
) -> Outcome<()> {
    let mut outcome = Ok(());
    let mut copy = |place| {
        let done = match place {
            // SAFETY: as this function's.
            Place::Text(text) => unsafe { copy_text(text, outcome.is_ok()) },
            // SAFETY: as this function's.
            Place::Sequence(at, base) => unsafe {
                copy_sequence(known, (at, base), outcome.is_ok())
            },
        };
        outcome = outcome.and(done);
        Ok(())
    };
    // SAFETY: as this function's.
    unsafe { each_pointer(known, xtype, memory, count, &mut copy) }?;
    outcome
}

/// # Safety
/// As [`copy_behind`].
unsafe fn copy_text(place: *mut *mut c_char, goes_on: bool) -> Outcome<()> {
    // SAFETY: as this function's; NULL stays NULL.
    unsafe {
        let text = place.read_unaligned();
        let twin = match text.is_null() || !goes_on {
            true => ptr::null_mut(),
            false => libc::strdup(text),
        };
        place.write_unaligned(twin);
        match twin.is_null() && !text.is_null() {
            true => Err(Status::ENOMEM),
            false => Ok(()),
        }
    }
}

/// # Safety
/// As [`copy_behind`].
unsafe fn copy_sequence(
    known: &UserTypes,
    (place, base): (*mut Sequence, c_int),
    goes_on: bool,
) -> Outcome<()> {
    let none = Sequence {
        len: 0,
        p: ptr::null_mut(),
    };
    // SAFETY: as this function's.
    let from = unsafe { place.read_unaligned() };
    // SAFETY: as this function's.
    unsafe { place.write_unaligned(none) };
    if from.len == 0 || from.p.is_null() {
        return Ok(());
    }
    let bytes = size_of_type(known, base)?.checked_mul(from.len);
    let bytes = bytes.filter(|_| goes_on).ok_or(Status::ENOMEM)?;
    // SAFETY: `malloc` may be called with any size.
    let p = unsafe { libc::malloc(bytes.max(1)) };
    if p.is_null() {
        return Err(Status::ENOMEM);
    }
    // SAFETY: new memory for so many bytes, which the elements have; the place is as above.
    unsafe {
        ptr::copy_nonoverlapping(from.p.cast::<u8>(), p.cast(), bytes);
        place.write_unaligned(Sequence { len: from.len, p });
        copy_behind(known, base, p.cast(), from.len)
    }
}

/// What all of these calls look at first.
fn check(ncid: c_int, xtype: c_int, has_memory: bool, count: usize) -> Outcome<()> {
    if ncid < 0 || xtype <= 0 || (!has_memory && count > 0) {
        return Err(Status::EINVAL);
    }
    Ok(())
}

/// Copies values with what they point to.
///
/// # Safety
/// `memory` and `copy` hold `count` values of the type.
unsafe fn copy_values(
    ncid: c_int,
    xtype: c_int,
    memory: *const c_void,
    count: usize,
    copy: *mut c_void,
) -> Outcome<()> {
    check(ncid, xtype, !memory.is_null() && !copy.is_null(), count)?;
    if count == 0 {
        return Ok(());
    }
    table::with_any_group(ncid, |file, _| {
        let known = file.user_types();
        let bytes = size_of_type(known, xtype)?.checked_mul(count);
        let bytes = bytes.ok_or(Status::EINVAL)?;
        // SAFETY: as this function's; they do not overlap, as the caller promises.
        unsafe {
            ptr::copy_nonoverlapping(memory.cast::<u8>(), copy.cast::<u8>(), bytes);
            copy_behind(known, xtype, copy.cast(), count)
        }
    })
}

/// Frees what values point to.
///
/// # Safety
/// As [`reclaim`].
unsafe fn reclaim_values(
    ncid: c_int,
    xtype: c_int,
    memory: *mut c_void,
    count: usize,
) -> Outcome<()> {
    check(ncid, xtype, !memory.is_null(), count)?;
    if count == 0 {
        return Ok(());
    }
    table::with_any_group(ncid, |file, _| {
        // SAFETY: as this function's.
        unsafe { reclaim(file.user_types(), xtype, memory.cast(), count) }
    })
}

entries! {
    /// `nc_reclaim_data`: frees what values point to.
    fn frz_nc_reclaim_data(ncid: c_int, xtypeid: c_int, memory: *mut c_void, nelems: usize) {
        reclaim_values(ncid, xtypeid, memory, nelems)
    }

    /// `nc_reclaim_data_all`: frees values and what they point to.
    fn frz_nc_reclaim_data_all(ncid: c_int, xtypeid: c_int, memory: *mut c_void, nelems: usize) {
        reclaim_values(ncid, xtypeid, memory, nelems)?;
        libc::free(memory);
        Ok(())
    }

    /// `nc_copy_data`: copies values with what they point to.
    fn frz_nc_copy_data(
        ncid: c_int, xtypeid: c_int, memory: *const c_void, count: usize, copy: *mut c_void,
    ) {
        copy_values(ncid, xtypeid, memory, count, copy)
    }

    /// `nc_copy_data_all`: copies values with what they point to into new memory.
    fn frz_nc_copy_data_all(
        ncid: c_int, xtypeid: c_int, memory: *const c_void, count: usize, copyp: *mut *mut c_void,
    ) {
        let size = table::with_any_group(ncid, |file, _| size_of_type(file.user_types(), xtypeid))?;
        let bytes = size.checked_mul(count).ok_or(Status::EINVAL)?;
        let copy = libc::calloc(bytes.max(1), 1);
        if copy.is_null() {
            return Err(Status::ENOMEM);
        }
        if let Err(status) = copy_values(ncid, xtypeid, memory, count, copy) {
            // What was copied so far; nothing is pointed to beside.
            let _ = reclaim_values(ncid, xtypeid, copy, count);
            libc::free(copy);
            return Err(status);
        }
        match copyp.is_null() {
            true => {
                let _ = reclaim_values(ncid, xtypeid, copy, count);
                libc::free(copy);
            }
            false => copyp.write(copy),
        }
        Ok(())
    }

    /// `nc_put_vlen_element`: makes a sequence of elements, which stay where they are.
    fn frz_nc_put_vlen_element(
        _ncid: c_int, _typeid: c_int, vlen_element: *mut c_void, len: usize, data: *const c_void,
    ) {
        store(vlen_element.cast(), Sequence { len, p: data.cast_mut() });
        Ok(())
    }

    /// `nc_get_vlen_element`: copies the elements of a sequence.
    fn frz_nc_get_vlen_element(
        ncid: c_int, typeid1: c_int, vlen_element: *const c_void, len: *mut usize,
        data: *mut c_void,
    ) {
        let from = list(vlen_element.cast::<Sequence>(), 1)?[0];
        let size = table::with(ncid, |file, _| {
            let known = file.user_types();
            match known.get(typeid1)?.kind {
                TypeKind::VariableLength { base } => size_of_type(known, base),
                _ => Err(Status::EBADTYPE),
            }
        })?;
        let bytes = from.len.checked_mul(size).ok_or(Status::EINVAL)?;
        store(len, from.len);
        store_all(data.cast(), list(from.p.cast::<u8>().cast_const(), bytes)?);
        Ok(())
    }

    /// `nc_free_vlen`
    fn frz_nc_free_vlen(vl: *mut Sequence) {
        libc::free(list(vl.cast_const(), 1)?[0].p);
        Ok(())
    }

    /// `nc_free_vlens`
    fn frz_nc_free_vlens(nelems: usize, vlens: *mut Sequence) {
        for one in list(vlens.cast_const(), nelems)? {
            libc::free(one.p);
        }
        Ok(())
    }
}
