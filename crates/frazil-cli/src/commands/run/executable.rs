//! The program to run: found as a shell finds it, and refused where nothing can be preloaded.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use frazil::{Error, ErrorCode, Result};

/// Bits of a file's mode: to be run as its owner or group.
const SET_ID: u32 = 0o6000;
/// So much of a program is looked at: its header and the table behind it.
const LOOKED_AT: u64 = 64 << 10;
/// `PT_INTERP`: the program asks for a dynamic linker.
const INTERPRETER: u32 = 3;
/// Scripts whose interpreters are scripts.
const MOST_SCRIPTS: usize = 4;

/// A program by its name, in the folders of `PATH` if that is no path.
///
/// # Errors
/// There is none that may be run.
pub(super) fn find(name: &OsStr) -> Result<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(name));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let candidates = env::split_paths(&path).map(|folder| folder.join(name));
    let mut programs = candidates.filter(|path| is_program(path));
    programs.next().ok_or_else(|| {
        Error::new(ErrorCode::NotFound, "no such program in PATH").in_file(name.as_ref())
    })
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0)
}

/// Refuses a program that the dynamic linker loads nothing into beforehand.
///
/// # Errors
/// Why it cannot be served, with the cure.
pub(super) fn check(program: &Path) -> Result<()> {
    let mut program = program.to_owned();
    for _ in 0..MOST_SCRIPTS {
        match check_one(&program)? {
            None => return Ok(()),
            Some(interpreter) => program = interpreter,
        }
    }
    Ok(())
}

/// As [`check`]; of a script, the interpreter.
fn check_one(program: &Path) -> Result<Option<PathBuf>> {
    let wrap = |error: std::io::Error| Error::io(&error, "open", program);
    let unsupported = |cause: &str, cure: &str| {
        let error = Error::new(ErrorCode::Unsupported, cause).in_file(program);
        Err(error.with_cure(cure))
    };
    let mut file = File::open(program).map_err(wrap)?;
    if file.metadata().map_err(wrap)?.mode() & SET_ID != 0 {
        let cause = "it runs with the rights of its owner (setuid or setgid), and the system preloads nothing \
                     into it";
        return unsupported(cause, "run it without frazil");
    }
    let mut start = Vec::new();
    let read = file.by_ref().take(LOOKED_AT).read_to_end(&mut start);
    read.map_err(wrap)?;
    if let Some(line) = start.strip_prefix(b"#!") {
        return Ok(interpreter_of(line));
    }
    if is_static(&start) {
        return unsupported(
            "it is linked statically, so frazil cannot take the place of its netCDF library",
            "link it with shared libraries, or with libfrazil (docs/change_one_line.md)",
        );
    }
    Ok(None)
}

fn interpreter_of(line: &[u8]) -> Option<PathBuf> {
    let line = line.split(|&byte| byte == b'\n').next()?;
    let mut words = line
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty());
    let first = Path::new(OsStr::from_bytes(words.next()?));
    if first.file_name() == Some(OsStr::new("env")) {
        return find(OsStr::from_bytes(words.next()?)).ok();
    }
    Some(first.to_owned())
}

/// Whether an ELF program of 64 bits asks for no dynamic linker.
fn is_static(start: &[u8]) -> bool {
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let field = start.get(at..at.checked_add(bytes)?)?;
        let digits = field.iter().rev();
        Some(digits.fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    // Little-endian, 64 bits: what frazil runs on.
    if !start.starts_with(b"\x7fELF\x02\x01") {
        return false;
    }
    let table = || Some((number(32, 8)?, number(54, 2)?, number(56, 2)?));
    let Some((offset, size, count)) = table() else {
        return false;
    };
    let kinds = (0..count).map(|index| {
        let at = offset.checked_add(index * size)?;
        number(usize::try_from(at).ok()?, 4)
    });
    // A table that lies elsewhere is the linker's business.
    let kinds: Option<Vec<u64>> = kinds.collect();
    kinds.is_some_and(|kinds| !kinds.contains(&u64::from(INTERPRETER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(kinds: &[u32]) -> Vec<u8> {
        let mut program = vec![0; 64];
        program[..6].copy_from_slice(b"\x7fELF\x02\x01");
        program[32] = 64;
        program[54] = 56;
        program[56] = kinds.len() as u8;
        for kind in kinds {
            program.extend(kind.to_le_bytes());
            program.extend([0; 52]);
        }
        program
    }

    #[test]
    fn a_program_without_a_linker_is_static() {
        assert!(is_static(&elf(&[1, 2])));
        assert!(!is_static(&elf(&[1, INTERPRETER])));
        assert!(!is_static(b"#!/bin/sh\n") && !is_static(b"") && !is_static(&elf(&[1])[..66]));
    }

    #[test]
    fn scripts_name_their_interpreters() {
        let of = |line: &[u8]| interpreter_of(line);
        assert_eq!(of(b" /bin/sh -e\nexit"), Some("/bin/sh".into()));
        assert!(of(b"/usr/bin/env sh\n").is_some_and(|path| path.ends_with("sh")));
        assert_eq!(of(b"\n"), None);
    }

    #[test]
    fn what_runs_as_another_user_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::write(&program, elf(&[INTERPRETER])).unwrap();
        assert_eq!(check(&program), Ok(()));
        let rights = std::fs::Permissions::from_mode(0o4755);
        std::fs::set_permissions(&program, rights).unwrap();
        assert!(check(&program).unwrap_err().cause.contains("setuid"));
    }
}
