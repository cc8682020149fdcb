//! What declarations are made with.

use crate::declared::{DeclaredOption, Users, Values};

/// Nothing.
const NOTHING: Users = Users {
    writer: false,
    environment: false,
    pack: false,
    plan: false,
    unpack: false,
};
/// Writers, by the program that has one and by the environment.
pub(super) const WRITER: Users = Users {
    writer: true,
    environment: true,
    ..NOTHING
};
/// Writers, by the program alone.
pub(super) const PROGRAM: Users = Users {
    writer: true,
    ..NOTHING
};
/// Packing whole files.
pub(super) const PACK: Users = Users {
    pack: true,
    ..NOTHING
};
/// Deciding how they are packed, too.
pub(super) const PLAN: Users = Users {
    pack: true,
    plan: true,
    ..NOTHING
};
/// Writing them without filters.
pub(super) const UNPACK: Users = Users {
    unpack: true,
    ..NOTHING
};
/// Whatever writes whole files.
pub(super) const FILES: Users = PACK.and(UNPACK);
/// Whatever reads whole files.
pub(super) const ALL: Users = PLAN.and(UNPACK);

/// What every option must state, and no more.
pub(super) const fn option(
    key: &'static str,
    values: Values,
    default: &'static str,
    of: Users,
    help: &'static str,
) -> DeclaredOption {
    DeclaredOption {
        key,
        values,
        unit: "",
        default,
        help,
        details: "",
        command: "",
        python_type: "",
        python: "",
        of,
        since: "0.1.0",
    }
}

/// A text of this form.
pub(super) const fn form(
    key: &'static str,
    values: &'static str,
    default: &'static str,
    of: Users,
    help: &'static str,
) -> DeclaredOption {
    option(key, Values::Form(values), default, of, help)
}

/// A number of this unit; `bounds` say which, as what follows "a number of seconds".
pub(super) const fn number(
    key: &'static str,
    (unit, bounds): (&'static str, &'static str),
    default: &'static str,
    of: Users,
    help: &'static str,
) -> DeclaredOption {
    option(key, Values::Number(bounds), default, of, help).unit(unit)
}

/// Yes or no.
pub(super) const fn switch(key: &'static str, of: Users, help: &'static str) -> DeclaredOption {
    option(key, Values::Switch, "0", of, help)
}

impl DeclaredOption {
    pub(super) const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    pub(super) const fn details(self, details: &'static str) -> Self {
        Self { details, ..self }
    }

    pub(super) const fn command(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    pub(super) const fn python(self, python_type: &'static str, python: &'static str) -> Self {
        Self {
            python_type,
            python,
            ..self
        }
    }
}
