//! Writes what the sources include: the slider attack tables of `src/board/attacks.rs` (the compiler's own
//! constant evaluation would take half a minute for them; this takes milliseconds), and the weights that are
//! compiled in: those of the champion, or of the file that TABULA_WEIGHTS names when another one is shipped.

#[path = "src/board/magics.rs"]
mod magics;
#[path = "src/board/rays.rs"]
#[allow(dead_code)] // the engine uses the rest of it
mod rays;

use rays::{BISHOP_STEPS, ROOK_ENTRIES, ROOK_STEPS, SLIDER_ENTRIES, Slider, sliders, walk};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/board/magics.rs");
    println!("cargo::rerun-if-changed=src/board/rays.rs");
    embed_weights();
    let rooks = sliders(&ROOK_STEPS, &magics::ROOK_MAGICS, 0);
    let bishops = sliders(&BISHOP_STEPS, &magics::BISHOP_MAGICS, ROOK_ENTRIES);
    let (mut by_magic, mut by_pext) = (vec![0; SLIDER_ENTRIES], vec![0; SLIDER_ENTRIES]);
    for (sliders, steps) in [(&rooks, &ROOK_STEPS), (&bishops, &BISHOP_STEPS)] {
        for (square, slider) in sliders.iter().enumerate() {
            fill(&mut by_magic, &mut by_pext, slider, |occupied| walk(square, steps, occupied));
        }
    }
    write("by_magic.bin", &by_magic);
    write("by_pext.bin", &by_pext);
}

fn embed_weights() {
    println!("cargo::rerun-if-env-changed=TABULA_WEIGHTS");
    let source = std::env::var("TABULA_WEIGHTS")
        .unwrap_or_else(|_| variable("CARGO_MANIFEST_DIR") + "/../data/champion/weights.toml");
    println!("cargo::rerun-if-changed={source}");
    let target = std::path::Path::new(&variable("OUT_DIR")).join("weights.toml");
    std::fs::copy(&source, target)
        .unwrap_or_else(|error| panic!("cannot embed the weights {source}: {error}"));
}

/// What cargo tells build scripts.
fn variable(name: &str) -> String {
    std::env::var(name).expect("cargo sets it for build scripts")
}

/// Visits every occupancy that matters for one slider on one square.
fn fill(by_magic: &mut [u64], by_pext: &mut [u64], slider: &Slider, attacks: impl Fn(u64) -> u64) {
    let mut occupied = 0u64;
    for pext_slot in &mut by_pext[slider.offset as usize..] {
        let slot = &mut by_magic[slider.magic_index(occupied)];
        // Two occupancies may share a slot only if they attack the same squares.
        assert!(*slot == 0 || *slot == attacks(occupied), "a magic number is wrong");
        *slot = attacks(occupied);
        // The subsets of a mask come in just the order that PEXT numbers them.
        *pext_slot = attacks(occupied);
        occupied = occupied.wrapping_sub(slider.mask) & slider.mask;
        if occupied == 0 {
            return;
        }
    }
}

fn write(name: &str, table: &[u64]) {
    let big_endian = variable("CARGO_CFG_TARGET_ENDIAN") == "big";
    let bytes =
        table.iter().flat_map(|word| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() });
    let path = std::path::Path::new(&variable("OUT_DIR")).join(name);
    std::fs::write(&path, bytes.collect::<Vec<u8>>())
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}
