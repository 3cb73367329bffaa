//! Which weights may move: `--only "king_*" --freeze "*[0][3]"`.

use engine::eval::EvalParams;

/// Globs over the names of weights.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// If there are any, only what one of them matches may move.
    pub only: Vec<String>,
    /// What one of these matches stays.
    pub freeze: Vec<String>,
}

/// A glob that matches no weight: most likely a typing error.
#[derive(Debug, thiserror::Error)]
#[error("`{glob}` matches no weight; `tune compare` lists the names, and * stands for any text")]
pub struct MatchesNothing {
    glob: String,
}

impl Selection {
    /// `// [weight]` whether each may move.
    pub fn free(&self) -> Result<Vec<bool>, MatchesNothing> {
        let names: Vec<(String, &str)> = (0..EvalParams::COUNT)
            .map(|index| (EvalParams::name(index), EvalParams::field(index).name))
            .collect();
        for glob in self.only.iter().chain(&self.freeze) {
            if !names.iter().any(|name| is_meant(glob, name)) {
                return Err(MatchesNothing { glob: glob.clone() });
            }
        }
        let any = |globs: &[String], name: &(String, &str)| globs.iter().any(|glob| is_meant(glob, name));
        Ok(names
            .iter()
            .map(|name| (self.only.is_empty() || any(&self.only, name)) && !any(&self.freeze, name))
            .collect())
    }
}

/// A glob means a weight by its full name or by that of its line in the list.
fn is_meant(glob: &str, (full, line): &(String, &str)) -> bool {
    matches(glob, full) || matches(glob, line)
}

/// `*` stands for any text, everything else for itself.
fn matches(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (glob, name, expected) in [
            ("tempo", "tempo", true),
            ("tempo", "temp", false),
            ("king_*", "king_storm[0][1]", true),
            ("king_*", "king", false),
            ("*king*", "passed_own_king[3]", true),
            ("psqt[1]*", "psqt[1][5]", true),
            ("*a*b", "ab", true),
            ("*ab*ab", "ab", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(glob, name), expected, "{glob} {name}");
        }
    }

    #[test]
    fn only_and_freeze() {
        let free = |only: &[&str], freeze: &[&str]| {
            let own = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
            Selection { only: own(only), freeze: own(freeze) }.free()
        };
        let count = |free: Vec<bool>| free.into_iter().filter(|&free| free).count();
        assert_eq!(count(free(&[], &[]).unwrap()), EvalParams::COUNT);
        assert_eq!(count(free(&["tempo", "psqt"], &["psqt[0]*"]).unwrap()), 1 + 4 * 64);
        assert!(free(&["temqo"], &[]).unwrap_err().to_string().contains("`temqo` matches no weight"));
    }
}
