//! Grows the decision tree that names the filters to try, and evaluates it.
//!
//! In: folders of files, or a table of what candidates made of their variables. Out: a tree, and what
//! it costs beside simpler rules.
//!
//! `measure` encodes samples of the variables of a folder of files with every candidate and makes a
//! [`Table`]; [`train`] grows a [`frazil_plan::FilterTree`] from it; [`evaluate`] compares that with what is
//! simpler, leaving out one dataset at a time, and [`judge_plans`] does so with what plans of the files take.
//! A table gives the same tree and the same report on every machine.

#![forbid(unsafe_code)]

mod cover;
mod evaluate;
mod folder;
mod grow;
mod judge;
mod regret;
mod table;

pub use evaluate::{Evaluation, Quality, Strategy, evaluate, render};
pub use folder::measure_folders;
pub use grow::{every_goal, train};
pub use judge::{Judgement, judge_plans, render_judgements};
pub use table::{Row, Table};
