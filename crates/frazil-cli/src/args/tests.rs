use std::sync::Arc;

use frazil::{
    ChunkPolicy, DeclaredOption, Defaults, Destination, Goal, LayoutProfile, OPTIONS, PackOptions,
    ReaderLevel, SelectionCriteria, ShufflePolicy, UnpackFormat, Values,
};

use super::*;

fn arguments(line: &str) -> Result<Cli, clap::Error> {
    parse(std::iter::once("frazil").chain(line.split_whitespace()))
}

fn pack(line: &str) -> PackArgs {
    match arguments(line).unwrap().command {
        Some(Command::Pack(args)) => *args,
        other => panic!("{line}: {other:?}"),
    }
}

fn refused(line: &str) -> String {
    let error = arguments(line).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{line}");
    error.to_string()
}

fn options(line: &str) -> PackOptions {
    pack(line).options(&Defaults::default(), &Arc::default())
}

#[test]
fn a_contradiction_shows_the_usage_of_its_command() {
    let message = refused("pack a.nc -o b.nc --digits T:3 --digits T:5");
    assert!(message.contains("frazil pack"), "{message}");
    assert!(!message.contains("\n\n\n"), "{message}");
}

#[test]
fn the_definition_holds_together() {
    command().debug_assert();
}

#[test]
fn every_flag_of_every_command_has_help() {
    for subcommand in command().get_subcommands() {
        for flag in subcommand.get_arguments() {
            let help = flag.get_help().map(ToString::to_string);
            let name = subcommand.get_name();
            assert_ne!(help.unwrap_or_default(), "", "{name} {}", flag.get_id());
        }
    }
}

#[test]
fn the_short_help_has_a_sentence_and_the_long_one_the_details() {
    for name in ["pack", "plan", "unpack", "run"] {
        let mut command = command();
        let subcommand = command.find_subcommand_mut(name).unwrap();
        let pages = [subcommand.render_help(), subcommand.render_long_help()];
        let [short, long] = pages.map(|page| {
            let page = page.to_string();
            page.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        let is_of = |one: &&DeclaredOption| match name {
            "run" => one.of.environment,
            _ => one.of.include(name),
        };
        for one in OPTIONS.iter().filter(is_of) {
            let key = one.key;
            assert!(long.contains(one.details), "{name} {key}");
            assert!(!short.contains(one.details), "{name} {key}");
        }
        assert!(long.contains("512M [unit: bytes]"), "{name}");
        assert!(!short.contains("[unit:"), "{name}");
    }
    // Its details are about other commands.
    let long = command()
        .find_subcommand_mut("verify")
        .unwrap()
        .render_long_help();
    assert!(!long.to_string().contains("scratch file"));
}

#[test]
fn flags_are_what_is_declared() {
    for (name, is_of) in [
        ("pack", (|one| one.of.pack) as fn(&DeclaredOption) -> bool),
        ("plan", |one| one.of.plan),
        ("unpack", |one| one.of.unpack),
    ] {
        let command = command();
        let subcommand = command.find_subcommand(name).unwrap();
        let flags: Vec<_> = subcommand.get_arguments().collect();
        for one in OPTIONS.iter().filter(|one| is_of(one)) {
            let found = flags.iter().find(|flag| {
                let declared = declared::declaration(flag);
                declared.is_some_and(|declared| declared.key == one.key)
            });
            let flag = found.unwrap_or_else(|| panic!("{name} lacks {}", one.key));
            let words = flag.get_possible_values();
            let words = words.iter().map(|word| word.get_name().to_owned());
            let declared = one.values.words().iter().map(|(word, _)| *word);
            assert!(
                one.values == Values::Switch || words.eq(declared),
                "{}",
                one.key
            );
        }
    }
}

#[test]
fn a_file_of_rules_states_what_the_line_does_not() {
    let defaults = Defaults::from_text([
        ("goal", "archive"),
        ("readable_by", "plugins"),
        ("reads", "series"),
        ("most_chunks", "9"),
    ]);
    let defaults = defaults.unwrap();
    let line = "pack a.nc -o b.nc --precision a.toml --goal size --reads map --filters zstd";
    // Who must be able to read it is not known before the file is read.
    assert!(refused(&line.replace("--goal size", "--readable-by any")).contains("--readable-by"));
    let line = line.replace("--filters zstd", "");
    let options = pack(&line).options(&defaults, &Arc::default());
    assert_eq!(options.goal, Goal::Size);
    assert_eq!(options.readable_by, Some(ReaderLevel::Plugins));
    assert_eq!(options.chunk_goal.reads[0].to_string(), "map");
    assert_eq!(options.chunk_goal.most_chunks, Some(9));
}

#[test]
fn a_misspelt_word_is_named_with_what_was_meant() {
    for (line, parts) in [
        ("--goal sizee", ["'sizee'", "'size'"]),
        ("--reads maps", ["\"maps\"", "is `map` meant?"]),
        ("--axes t=tme", ["\"tme\"", "is `time` meant?"]),
        ("--filters shufle", ["\"shufle\"", "is `shuffle` meant?"]),
        ("--weights sise=1", ["\"sise\"", "is `size` meant?"]),
        ("--quantizer bitrond", ["`bitrond`", "is `bitround` meant?"]),
        ("--gaol size", ["--gaol", "--goal"]),
    ] {
        let said = refused(&format!("pack a.nc -o b.nc {line}"));
        for part in parts {
            assert!(said.contains(part), "{line}: {said}");
        }
    }
}

#[test]
fn defaults_are_the_facades() {
    let (ours, theirs) = (options("pack a.nc -o b.nc"), PackOptions::default());
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
}

#[test]
fn chunk_shapes_can_be_kept() {
    let options = options("pack a.nc -o b.nc --keep-chunks");
    assert_eq!(options.chunks, ChunkPolicy::Keep);
}

#[test]
fn every_option_arrives() {
    let options = options(
        "pack a.nc -o b.nc --chunks tas:time=24,lat=64 --chunks 0=12 --level 5 \
         --shuffle off --checksum --layout cmip7 --readable-by plugins --threads 3 \
         --memory 512MiB --overwrite --verify --dry-run",
    );
    assert_eq!(options.chunks, ChunkPolicy::Auto);
    let variables: Vec<&str> = options
        .chunk_overrides
        .iter()
        .map(|o| o.variable.as_str())
        .collect();
    assert_eq!(variables, ["tas", "*"]);
    assert_eq!(options.level, Some(5));
    assert_eq!(options.shuffle, ShufflePolicy::Off);
    assert_eq!(options.readable_by, Some(ReaderLevel::Plugins));
    assert_eq!(options.layout, Some(LayoutProfile::Cmip7));
    assert!(options.checksum && options.overwrite && options.verify && options.dry_run);
    assert_eq!(options.resources.threads, 3);
    assert_eq!(options.resources.memory_bytes, 512 << 20);
}

#[test]
fn filters_and_goals_arrive() {
    let stated = options("pack a.nc -o b.nc --filters shuffle+zstd(5) --readable-by plugins");
    assert_eq!(stated.filters.unwrap().to_string(), "shuffle+zstd(5)");
    assert_eq!(stated.goal, Goal::Balanced);
    let aimed = options("pack a.nc -o b.nc --goal archive --readable-by frazil");
    assert_eq!(
        (aimed.goal, aimed.readable_by),
        (Goal::Archive, Some(ReaderLevel::Frazil))
    );
    assert_eq!(stated.weighing, SelectionCriteria::default());
    // A goal that is the default is the default.
    assert_eq!(
        options("pack a.nc -o b.nc --goal balanced").weighing,
        stated.weighing
    );
    let weighed = options("pack a.nc -o b.nc --weights size=1,write=0.5 --min-write-speed 400MB/s");
    assert_eq!(
        weighed.weighing.weights.map(|weights| weights.write),
        Some(0.5)
    );
    let floor = weighed.weighing.encode_floor.unwrap();
    assert_eq!((floor.mb_s, floor.origin.as_str()), (400.0, "as asked"));
    let tolerant = options("pack a.nc -o b.nc --min-read-speed network --ratio-tolerance 3%");
    assert_eq!(tolerant.weighing.ratio_tolerance, Some(0.03));
    let floor = tolerant.weighing.decode_floor.unwrap();
    assert_eq!(floor.origin, "(network) as asked");
    for line in [
        "pack a.nc -o b.nc --filters shuffle+zstd",
        "pack a.nc -o b.nc --filters pcodec --readable-by plugins",
        "pack a.nc -o b.nc --filters shuffle --level 3",
        "pack a.nc -o b.nc --filters shuffle --goal size",
        "pack a.nc -o b.nc --goal size --level 3",
        "pack a.nc -o b.nc --filters gzip",
        "pack a.nc -o b.nc --weights size=1 --goal size",
        "pack a.nc -o b.nc --weights size=0",
        "pack a.nc -o b.nc --min-write-speed fast",
        "pack a.nc -o b.nc --min-read-speed 400",
        "pack a.nc -o b.nc --min-read-speed 400MB/s --level 3",
        "pack a.nc -o b.nc --ratio-tolerance 100%",
        "pack a.nc -o b.nc --ratio-tolerance 1% --filters shuffle+deflate(1)",
        "train",
        "train data --table a.csv",
    ] {
        refused(line);
    }
}

#[test]
fn there_is_one_destination() {
    let destination = |line| pack(line).destination().unwrap();
    assert_eq!(
        destination("pack a.nc -o b.nc"),
        Destination::File("b.nc".into())
    );
    assert_eq!(
        destination("pack a.nc b.nc --out-dir d"),
        Destination::Directory("d".into())
    );
    assert_eq!(
        destination("pack a.nc --in-place --break-hard-links"),
        Destination::InPlace {
            break_hard_links: true
        }
    );
    assert!(refused("pack a.nc").contains("name a place"));
    assert!(refused("unpack a.nc").contains("name a place"));
    assert!(refused("pack a.nc b.nc -o c.nc").contains("--out-dir"));
    assert!(refused("pack a.nc -o c.nc --in-place").contains("cannot be used with"));
    assert!(refused("pack a.nc --out-dir d --in-place").contains("cannot be used with"));
    assert!(refused("pack a.nc -o b.nc --break-hard-links").contains("cannot be used with"));
    assert!(refused("pack a.nc -o b.nc --skip-existing").contains("--out-dir"));
    assert!(refused("pack a.nc -o b.nc --manifest sha256").contains("--out-dir"));
    assert!(refused("pack --files-from list -o b.nc").contains("use --out-dir"));
}

#[test]
fn a_dry_run_needs_no_destination() {
    assert!(
        pack("pack a.nc b.nc --dry-run")
            .options(&Defaults::default(), &Arc::default())
            .dry_run
    );
}

#[test]
fn a_refusal_shows_the_usage_of_its_command() {
    assert!(refused("unpack a.nc").contains("frazil unpack"));
}

#[test]
fn bad_values_are_refused() {
    for (line, part) in [
        ("pack a.nc -o b.nc --memory NaN", "not a size"),
        ("pack a.nc -o b.nc --memory -5M", "not a size"),
        ("pack a.nc -o b.nc --memory=-5M", "not a size"),
        ("pack a.nc -o b.nc --memory 999K", "too small"),
        ("pack a.nc -o b.nc --level 23", "23"),
        (
            "pack a.nc -o b.nc --level -1",
            "it must be a number from 0 (no compression) to 22",
        ),
        ("pack a.nc -o b.nc --threads 5000", "5000"),
        (
            "pack a.nc -o b.nc --threads -1",
            "it must be a number of threads from 0 (one for each core) to 4096",
        ),
        (
            "pack a.nc -o b.nc --threads two",
            "it must be a number of threads from 0 (one for each core) to 4096",
        ),
        (
            "pack a.nc -o b.nc --most-chunks 0",
            "it must be a number of chunks, more than 0",
        ),
        (
            "pack a.nc -o b.nc --keep-chunks --chunks time=4",
            "cannot be used with",
        ),
        ("pack a.nc --in-place --jobs 0", "from 1 to 4096"),
        ("pack a.nc --in-place --log b.nc", "named as a data file"),
        ("pack a.nc --in-place --include [", "not a valid pattern"),
        ("pack --in-place", "<IN>"),
        ("pack a.nc -o b.nc --chunks time", "DIMENSION=ELEMENTS"),
        ("pack a.nc -o b.nc --shuffle maybe", "maybe"),
        ("unpack a.nc -o b.nc --format hdf4", "hdf4"),
        ("verify a.nc", "<B>"),
        ("info", "<IN>"),
        ("--all", "--version"),
        ("frobnicate", "frobnicate"),
    ] {
        let message = refused(line);
        assert!(message.contains(part), "{line}: {message}");
    }
}

#[test]
fn unpack_options_arrive() {
    let cli = arguments("unpack a.nc --out-dir d --format classic --verify --overwrite").unwrap();
    let Some(Command::Unpack(args)) = cli.command else {
        panic!("not unpack")
    };
    let options = args.options(&Arc::default());
    assert_eq!(options.format, UnpackFormat::Classic);
    assert!(options.verify && options.overwrite);
    assert_eq!(args.destination(), Some(Destination::Directory("d".into())));
}

#[test]
fn version_takes_all() {
    assert!(arguments("--version --all").unwrap().all);
    assert!(arguments("-V").unwrap().command.is_none());
}

#[test]
fn words_of_other_programs_lead_to_ours() {
    let cases = [
        ("compress in.nc", "frazil pack"),
        ("convert in.nc", "unpack --format classic"),
        ("version", "frazil --version"),
        ("pack -L 4 in.nc -o out.nc", "--level N"),
        ("pack in.nc -o out.nc --deflate 4", "--level N"),
        ("pack in.nc -o out.nc -d 4", "--level N"),
        ("pack in.nc -o out.nc --zlib --complevel 4", "--level N"),
        ("pack in.nc -o out.nc --tolerance 0.1", "--abs-error"),
        (
            "pack in.nc -o out.nc --report r.html",
            "verify IN OUT --report",
        ),
        ("pack in.nc -o out.nc --significant-digits 3", "--digits 3"),
        ("pack in.nc absent/out.nc", "do you mean -o absent/out.nc?"),
    ];
    for (line, expected) in cases {
        let message = arguments(line).unwrap_err().to_string();
        assert!(message.contains(expected), "{line}: {message}");
        assert!(!message.contains("completions"), "{message}");
    }
}
