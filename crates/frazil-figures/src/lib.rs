//! Pictures and pages of frazil's reports.
//!
//! In: the results of an analysis, a plan or a comparison. Out: SVG and HTML as text.
//!
//! [`analysis_svg`] draws the information in each bit position of each variable; [`plan_svg`] and
//! [`plan_html`] draw what a plan was chosen from; [`verify_html`] writes one self-contained page about rounded variables: nothing is fetched from elsewhere, no
//! script runs, and names from files are escaped by construction (see `markup`).

#![forbid(unsafe_code)]

mod analysis;
mod chart;
mod colour;
mod drawing;
mod error;
mod map;
mod markup;
mod number;
mod page;
mod plan;

pub use analysis::analysis_svg;
pub use error::{Error, Result};
pub use page::verify_html;
pub use plan::{plan_html, plan_svg};

#[cfg(test)]
mod samples;
