//! The variants that are shipped, and how the text behind `fairy:` is understood.

use std::path::Path;

use super::Fairy;

/// Names and files.
pub const SHIPPED: &[(&str, &str)] = &[
    ("3check", include_str!("../../../../data/variants/3check.toml")),
    ("ai-wok", include_str!("../../../../data/variants/ai-wok.toml")),
    ("alice", include_str!("../../../../data/variants/alice.toml")),
    ("almost", include_str!("../../../../data/variants/almost.toml")),
    ("amazon", include_str!("../../../../data/variants/amazon.toml")),
    ("baroque", include_str!("../../../../data/variants/baroque.toml")),
    ("berolina", include_str!("../../../../data/variants/berolina.toml")),
    ("breakthrough", include_str!("../../../../data/variants/breakthrough.toml")),
    ("capablanca", include_str!("../../../../data/variants/capablanca.toml")),
    ("chancellor", include_str!("../../../../data/variants/chancellor.toml")),
    ("checkers", include_str!("../../../../data/variants/checkers.toml")),
    ("cylinder", include_str!("../../../../data/variants/cylinder.toml")),
    ("demon", include_str!("../../../../data/variants/demon.toml")),
    ("embassy", include_str!("../../../../data/variants/embassy.toml")),
    ("falcon", include_str!("../../../../data/variants/falcon.toml")),
    ("garden", include_str!("../../../../data/variants/garden.toml")),
    ("grand", include_str!("../../../../data/variants/grand.toml")),
    ("grasshopper", include_str!("../../../../data/variants/grasshopper.toml")),
    ("hoppelpoppel", include_str!("../../../../data/variants/hoppelpoppel.toml")),
    ("horde", include_str!("../../../../data/variants/horde.toml")),
    ("iron", include_str!("../../../../data/variants/iron.toml")),
    ("janus", include_str!("../../../../data/variants/janus.toml")),
    ("joker", include_str!("../../../../data/variants/joker.toml")),
    ("kingofthehill", include_str!("../../../../data/variants/kingofthehill.toml")),
    ("knightmate", include_str!("../../../../data/variants/knightmate.toml")),
    ("lion", include_str!("../../../../data/variants/lion.toml")),
    ("losalamos", include_str!("../../../../data/variants/losalamos.toml")),
    ("makruk", include_str!("../../../../data/variants/makruk.toml")),
    ("marine", include_str!("../../../../data/variants/marine.toml")),
    ("marseillais", include_str!("../../../../data/variants/marseillais.toml")),
    ("newzealand", include_str!("../../../../data/variants/newzealand.toml")),
    ("nightrider", include_str!("../../../../data/variants/nightrider.toml")),
    ("opulent", include_str!("../../../../data/variants/opulent.toml")),
    ("orthodox", include_str!("../../../../data/variants/orthodox.toml")),
    ("pawnback", include_str!("../../../../data/variants/pawnback.toml")),
    ("pawnsideways", include_str!("../../../../data/variants/pawnsideways.toml")),
    ("shako", include_str!("../../../../data/variants/shako.toml")),
    ("shatranj", include_str!("../../../../data/variants/shatranj.toml")),
    ("ski", include_str!("../../../../data/variants/ski.toml")),
    ("tencubed", include_str!("../../../../data/variants/tencubed.toml")),
    ("torpedo", include_str!("../../../../data/variants/torpedo.toml")),
    ("xiangqi", include_str!("../../../../data/variants/xiangqi.toml")),
];

/// Files are not longer.
const MOST_BYTES: u64 = 1 << 20;

/// Names of the variants that are shipped.
pub fn names() -> String {
    SHIPPED.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// The variant of a file, or a shipped one by its name. `NAME@HASH`, as records have it, must have that hash.
pub fn open(rules: &str) -> Result<Fairy, String> {
    let (name, hash) = match rules.split_once('@') {
        Some((name, hash)) if !Path::new(rules).exists() => (name, Some(hash)),
        _ => (rules, None),
    };
    let name = if name.is_empty() { "orthodox" } else { name };
    let text = match SHIPPED.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => (*text).to_string(),
        None => read(Path::new(name))?,
    };
    let fairy = Fairy::from_text(&text).map_err(|error| format!("{name}, {error}"))?;
    match hash {
        Some(hash) if hash != format!("{:016x}", fairy.variant.hash) => {
            Err(format!("{name} has other rules here than where this comes from (their hash is not {hash})"))
        }
        _ => Ok(fairy),
    }
}

fn read(path: &Path) -> Result<String, String> {
    let unreadable = |reason: String| {
        format!("cannot read {}: {reason}; write fairy:FILE.toml, or one of {}", path.display(), names())
    };
    let about = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return Err(unreadable("it is no file of at most a megabyte".to_string()));
    }
    engine::regular_file::read_text(path).map_err(|error| unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::fairy::variant_file;

    #[test]
    fn every_shipped_file_is_read_and_called_what_its_name_says() {
        for (name, text) in SHIPPED {
            let variant = variant_file::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(variant.name, *name);
        }
    }
}
