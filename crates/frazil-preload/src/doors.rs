//! The names of netCDF that this library exports, each a few machine instructions.
//!
//! A door keeps all registers that carry arguments, asks `route` where the call
//! goes, and jumps there: whatever its arguments are, the function behind sees them, the stack and the
//! place to return to as if the program had called it.

use std::arch::naked_asm;

use crate::names::{Call, all_calls};
use crate::route::route;

macro_rules! doors {
    ($($name:ident)*) => {
        mod exported {
            use super::*;
            $(
                #[unsafe(naked)]
                #[unsafe(no_mangle)]
                extern "C" fn $name() {
                    #[cfg(target_arch = "x86_64")]
                    naked_asm!("mov r11d, {call}", "jmp {enter}",
                        call = const Call::$name as usize, enter = sym enter);
                    #[cfg(target_arch = "aarch64")]
                    naked_asm!("mov w15, #{call}", "b {enter}",
                        call = const Call::$name as usize, enter = sym enter);
                }
            )*
        }
    };
}

/// `route(call, return address, &first argument)`, with the caller's registers around it.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
extern "C" fn enter() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "sub rsp, 16",
        "movsd [rsp], xmm0",
        "mov edi, r11d",
        "mov rsi, [rbp + 8]",
        "lea rdx, [rbp - 8]",
        "call {route}",
        "movsd xmm0, [rsp]",
        "add rsp, 16",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "pop rbp",
        "jmp rax",
        route = sym route,
    );
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
extern "C" fn enter() {
    naked_asm!(
        "stp x29, x30, [sp, #-96]!",
        "mov x29, sp",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "stp x6, x7, [sp, #64]",
        "str d0, [sp, #80]",
        "mov w0, w15",
        "mov x1, x30",
        "add x2, sp, #16",
        "bl {route}",
        "mov x16, x0",
        "ldr d0, [sp, #80]",
        "ldp x6, x7, [sp, #64]",
        "ldp x4, x5, [sp, #48]",
        "ldp x2, x3, [sp, #32]",
        "ldp x0, x1, [sp, #16]",
        "ldp x29, x30, [sp], #96",
        "br x16",
        route = sym route,
    );
}

all_calls!(doors);
