//! `frazil --version`.

use std::io;

use frazil::About;

use super::Status;
use crate::printer;
use crate::table::{Column, Table};
use crate::text::{self, screen_columns};

/// Prints the version; with `all`, what the program is made of and what it can do.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(all: bool) -> io::Result<Status> {
    let about = frazil::about();
    printer::data(&match all {
        true => text::fitted(&page(&about), screen_columns()).into_owned(),
        false => format!("{}\n", named(&about)),
    })?;
    Ok(Status::Success)
}

/// Version, and the commit if it was known when this was built.
fn named(about: &About) -> String {
    match option_env!("BUILT_COMMIT") {
        Some(commit) => format!("frazil {} ({commit})", about.version),
        None => format!("frazil {}", about.version),
    }
}

fn page(about: &About) -> String {
    let mut libraries = Table::new(vec![Column::words("library"), Column::words("version")]);
    for (library, version) in &about.libraries {
        libraries.row(vec![library.clone(), version.clone()]);
    }
    let network = if about.network {
        "linked"
    } else {
        "not linked"
    };
    format!(
        "{}\n\n{}\n{}\nSIMD: {}\nplugin path: {}\nnetwork code: {network}\n",
        named(about),
        libraries.render(screen_columns()),
        filter_table(about).render(screen_columns()),
        about.simd,
        plugin_path(about)
    )
}

fn filter_table(about: &About) -> Table {
    let yes = |can: bool| if can { "yes" } else { "no" }.to_owned();
    let mut table = Table::new(vec![
        Column::number("filter"),
        Column::words("name"),
        Column::words("read"),
        Column::words("write"),
        Column::prose("library"),
        Column::prose("note"),
    ]);
    for filter in &about.filters {
        table.row(vec![
            filter.id.to_string(),
            filter.name.to_string(),
            yes(filter.can_read),
            yes(filter.can_write),
            filter.library.to_string(),
            filter.note.to_string(),
        ]);
    }
    table
}

fn plugin_path(about: &About) -> String {
    if about.plugin_path.is_empty() {
        return "none".into();
    }
    let directories: Vec<String> = about
        .plugin_path
        .iter()
        .map(|path| text::path(path))
        .collect();
    directories.join(":")
}
