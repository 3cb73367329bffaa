//! The files of the pages, compiled into the program: it needs no network and no folder of its own.

/// A file as the browser gets it.
pub struct Asset {
    /// Its address.
    pub name: &'static str,
    /// What it is.
    pub kind: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! assets {
    ($($name:literal $kind:literal;)*) => {
        /// All of them; the first is the page.
        pub const ASSETS: &[Asset] = &[$(
            Asset { name: $name, kind: $kind, text: include_str!(concat!("assets/", $name)) },
        )*];
    };
}

assets! {
    "index.html" "text/html; charset=utf-8";
    "style.css" "text/css; charset=utf-8";
    "page.js" "text/javascript; charset=utf-8";
    "chart.js" "text/javascript; charset=utf-8";
    "board.js" "text/javascript; charset=utf-8";
    "overview.js" "text/javascript; charset=utf-8";
    "night.js" "text/javascript; charset=utf-8";
    "tests.js" "text/javascript; charset=utf-8";
    "games.js" "text/javascript; charset=utf-8";
    "viewer.js" "text/javascript; charset=utf-8";
    "other.js" "text/javascript; charset=utf-8";
    "position.js" "text/javascript; charset=utf-8";
    "tuning.js" "text/javascript; charset=utf-8";
    "play.js" "text/javascript; charset=utf-8";
    "start.js" "text/javascript; charset=utf-8";
}

/// The file of this name. A debug build reads it from the source, so that a page can be changed without a build.
pub fn find(name: &str) -> Option<(&'static str, String)> {
    let asset = ASSETS.iter().find(|asset| asset.name == name)?;
    #[cfg(debug_assertions)]
    {
        let path = format!("{}/src/dashboard/assets/{}", env!("CARGO_MANIFEST_DIR"), asset.name);
        if let Ok(text) = std::fs::read_to_string(path) {
            return Some((asset.kind, text));
        }
    }
    Some((asset.kind, asset.text.to_string()))
}
