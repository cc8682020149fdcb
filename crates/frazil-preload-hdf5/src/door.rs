//! `H5Dwrite`, a few machine instructions that add the place to return to as a seventh argument.

use std::arch::naked_asm;

use crate::write::write;

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn H5Dwrite() {
    naked_asm!(
        "push qword ptr [rsp]",
        "call {write}",
        "add rsp, 8",
        "ret",
        write = sym write,
    );
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn H5Dwrite() {
    naked_asm!("mov x6, x30", "b {write}", write = sym write);
}
