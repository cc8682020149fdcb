//! Writes inputs to start from: `seeds FOLDER` makes a folder for each target.

use std::fs;
use std::path::Path;

use frazil::{CompressOptions, FilterConstraints};
use frazil_codec::{BoundEncoder, Scratch};
use frazil_fuzz::{CHAINS, element};
use frazil_types::{ElementType, FilterChain};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let folder = std::env::args_os().nth(1).ok_or("seeds FOLDER")?;
    let folder = Path::new(&folder);
    chunks(&folder.join("chunk"))?;
    values(&folder.join("values"))?;
    classic(&folder.join("classic"))?;
    journals(&folder.join("journal"))?;
    texts(folder)
}

fn write(folder: &Path, number: usize, bytes: impl AsRef<[u8]>) -> Outcome {
    fs::create_dir_all(folder)?;
    Ok(fs::write(folder.join(format!("seed-{number}")), bytes)?)
}

/// A field that shrinks under every filter.
fn field(length: usize) -> Vec<u8> {
    let value = |i: usize| ((i * 7 % 50) as f32 * 0.5 + (i / 10) as f32).to_le_bytes();
    (0..length).flat_map(value).collect()
}

fn chunks(folder: &Path) -> Outcome {
    let mut number = 0;
    for (which, chain) in CHAINS.iter().enumerate() {
        let chain: FilterChain = chain.parse()?;
        // float32, float64, int16, int32, as bytes.
        for kind in [0_u8, 4, 5, 9] {
            let element = element(kind);
            let raw = field(400);
            let length = raw.len() / element.size_bytes;
            let pipeline = chain.resolve(element, &[length as u64]);
            let Ok(encoder) = BoundEncoder::bind(&pipeline, None, element.size_bytes, raw.len())
            else {
                continue;
            };
            let stored = encoder.encode(&raw, &mut Scratch::default())?;
            let mut input = vec![which as u8, kind];
            input.extend((length as u16).to_le_bytes());
            input.extend(&stored);
            write(folder, number, &input)?;
            // The same with the client data values in the input.
            if let [only] = &pipeline.0[..] {
                let id = frazil_fuzz::FILTERS.iter().position(|id| *id == only.id);
                input[0] = id.map_or(255, |id| (id + frazil_fuzz::FILTERS.len() * 2) as u8);
                let words = only.cd_values.iter().flat_map(|value| value.to_le_bytes());
                let values = [only.cd_values.len() as u8].into_iter().chain(words);
                input.splice(frazil_fuzz::HEAD..frazil_fuzz::HEAD, values);
                write(folder, 1000 + number, &input)?;
            }
            number += 1;
        }
    }
    Ok(())
}

fn values(folder: &Path) -> Outcome {
    let float = element(0);
    for (number, chain) in CHAINS.iter().enumerate() {
        let demand = FilterConstraints {
            filters: Some(chain.parse()?),
            ..FilterConstraints::default()
        };
        let options = CompressOptions {
            demand,
            ..CompressOptions::default()
        };
        let raw = field(400);
        if let Ok(packed) = frazil::compress(&raw, float, &[20, 20], &options) {
            write(folder, number, packed)?;
        }
    }
    for kind in 0..16 {
        let element: ElementType = element(kind);
        let raw = field(100);
        let shape = [(raw.len() / element.size_bytes) as u64];
        let raw = &raw[..shape[0] as usize * element.size_bytes];
        let packed = frazil::compress(raw, element, &shape, &CompressOptions::default())?;
        write(folder, 100 + usize::from(kind), packed)?;
    }
    Ok(())
}

/// Headers by hand: a dimension, a record dimension, an attribute, two variables.
fn classic(folder: &Path) -> Outcome {
    for (number, version) in [1_u8, 2, 5].into_iter().enumerate() {
        let wide = version == 5;
        let count = |value: u64| match wide {
            true => value.to_be_bytes().to_vec(),
            false => (value as u32).to_be_bytes().to_vec(),
        };
        let tag = |tag: u32, items: u64| [tag.to_be_bytes().to_vec(), count(items)].concat();
        let name = |text: &[u8; 4]| [count(4), text.to_vec()].concat();
        let mut header = vec![b'C', b'D', b'F', version];
        header.extend([count(2), tag(10, 2)].concat());
        header.extend([name(b"time"), count(0), name(b"xxxx"), count(5)].concat());
        let attribute = [name(b"unit"), 2_u32.to_be_bytes().to_vec(), name(b"kg/m")].concat();
        header.extend([tag(12, 1), attribute.clone(), tag(11, 2)].concat());
        for (begin, ids) in [(400_u64, &[0_u64, 1][..]), (360, &[1])] {
            header.extend([name(b"vvvv"), count(ids.len() as u64)].concat());
            header.extend(ids.iter().flat_map(|id| count(*id)));
            header.extend([tag(12, 1), attribute.clone()].concat());
            header.extend([5_u32.to_be_bytes().to_vec(), count(20)].concat());
            match version {
                1 => header.extend((begin as u32).to_be_bytes()),
                _ => header.extend(begin.to_be_bytes()),
            }
        }
        header.resize(440, 0);
        write(folder, number, &header)?;
    }
    Ok(())
}

fn journals(folder: &Path) -> Outcome {
    let changes = [(100_u64, 0x11_u8, 0x22_u8), (2000, 0x11, 0x33)];
    for (number, (old_end, new_end)) in [(2048_u64, 2048_u64), (2048, 4096)].into_iter().enumerate()
    {
        // Commit, device, inode (set by the target), ends, sealed bytes, ranges.
        let numbers = [1, 0, 0, old_end, new_end, 2048, changes.len() as u64];
        let mut bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        for (address, old, new) in changes {
            bytes.extend(address.to_le_bytes());
            bytes.extend(16_u64.to_le_bytes());
            bytes.extend([[old; 16], [new; 16]].concat());
        }
        write(folder, number, &bytes)?;
    }
    Ok(())
}

fn texts(folder: &Path) -> Outcome {
    for (number, chain) in CHAINS.iter().enumerate() {
        write(&folder.join("requests"), number, chain)?;
    }
    let requests = [
        "map,series=2",
        "t=time,lev=level,y=lat,x=lon,member=other",
        "time=1000,lat=64",
        "object-store",
        "blosc(zstd,9,bitshuffle)",
        "delta(0,1)+frazil(archive,19)",
        "box(time=3,lat=1)=0.5",
    ];
    for (number, request) in requests.iter().enumerate() {
        write(&folder.join("requests"), 100 + number, request)?;
    }
    let plan = r#"{"variables": [{"path": "/t", "layout": {"chunked": {"chunk": [1, 8]}},
        "quantize": null, "pipeline": [{"id": 1, "client_data": [3]}], "deflate_encoder": null,
        "copy_raw": false, "predicted_bytes": null, "cache": null, "reason": "a test"}]}"#;
    write(&folder.join("plan"), 0, plan)?;
    write(
        &folder.join("plan"),
        1,
        include_str!("../crates/frazil-plan/data/filter_tree.json"),
    )?;
    let rules = "[[rule]]\nvariables = [\"T*\", \"/a/**\"]\nsignificant_digits = 3\n\n[[rule]]\n\
        variables = [\"q\"]\nabsolute_error = 0.01\nkeep_information = 0.99\n";
    write(&folder.join("rules"), 0, rules)?;
    let hints = "[variable]\nrelative_tolerance_percent = 1\nsignificant_digits = 3\n\
        comp_speed = 100 MiB/s\n";
    write(&folder.join("rules"), 1, hints)?;
    write(
        &folder.join("table"),
        0,
        "\0time,value\n1,2.5\n2,\n# no\n3,-1e300\n",
    )?;
    write(&folder.join("table"), 1, "\u{6}1;2;3\n4;5;nan\n")
}

/// What instrumented code calls, and libFuzzer has: seeds are made without it.
mod coverage {
    /// Functions of nothing, whatever they are called with.
    macro_rules! nothing {
        ($($name:ident)*) => {
            $(#[unsafe(no_mangle)]
            extern "C" fn $name() {})*
        };
    }
    nothing!(__sanitizer_cov_8bit_counters_init __sanitizer_cov_pcs_init __sanitizer_cov_trace_pc_indir);
    nothing!(__sanitizer_cov_trace_cmp1 __sanitizer_cov_trace_cmp2);
    nothing!(__sanitizer_cov_trace_cmp4 __sanitizer_cov_trace_cmp8);
    nothing!(__sanitizer_cov_trace_const_cmp1 __sanitizer_cov_trace_const_cmp2);
    nothing!(__sanitizer_cov_trace_const_cmp4 __sanitizer_cov_trace_const_cmp8);
    nothing!(__sanitizer_cov_trace_switch);
}
