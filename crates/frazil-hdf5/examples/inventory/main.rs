//! Prints all that an HDF5 file holds, one fact a line, for comparison with what other readers say; or reads changed
//! copies of a file, to see that none makes the reader crash, hang or take much memory; or counts the requests that finding
//! the chunks of a dataset takes.
#![allow(clippy::print_stdout, reason = "this is a command")]

mod mutate;
mod rounds;
mod structures;
mod walk;
mod words;

use std::error::Error;
use std::fs;

use frazil_hdf5::File;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [path] => {
            let file = File::open(Box::new(fs::File::open(path)?), None)?;
            let (lines, outcome) = walk::inventory(&file);
            for line in lines {
                println!("{line}");
            }
            outcome
        }
        [rounds, path, dataset, head] if rounds == "rounds" => {
            rounds::run(path, dataset, head.parse()?)
        }
        [path, seed, count] => mutate::run(path, seed.parse()?, count.parse()?),
        _ => Err(
            "usage: inventory FILE [SEED COUNT], or inventory rounds FILE DATASET HEAD_BYTES"
                .into(),
        ),
    }
}
