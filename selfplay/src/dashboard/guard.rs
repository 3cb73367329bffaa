//! Who may ask. Pages of this machine only, unless the server was told otherwise; then only who knows the token.

use std::net::SocketAddr;

use super::problem::Problem;

/// The rule of a server.
#[derive(Clone, Debug)]
pub struct Guard {
    /// What others must know; `None`: only this machine is served.
    pub token: Option<String>,
}

/// The cookie that carries the token after the first page.
const COOKIE: &str = "tabula-token";
/// A shorter token could be guessed.
pub const SHORTEST_TOKEN: usize = 16;

impl Guard {
    /// The rule for an address. One that others can reach needs a token.
    pub fn new(address: &SocketAddr, token: Option<String>) -> Result<Guard, Problem> {
        if let Some(token) = &token
            && (token.len() < SHORTEST_TOKEN || !token.chars().all(|letter| letter.is_ascii_alphanumeric()))
        {
            return Err(Problem::Refused(format!(
                "the token needs at least {SHORTEST_TOKEN} letters and digits, nothing else"
            )));
        }
        match (&token, address.ip().is_loopback()) {
            (None, false) => Err(Problem::Refused(format!(
                "{} can be reached by others: give --token-file FILE with a secret of at least {SHORTEST_TOKEN} letters \
                 and digits, or leave --address out to serve this machine alone",
                address.ip()
            ))),
            _ => Ok(Guard { token }),
        }
    }

    /// Whether the headers of a request may have an answer. A page of another site must not reach us through the
    /// reader's browser: the names of host and origin tell.
    pub fn admits(&self, host: &str, origin: Option<&str>, cookies: &str, given: Option<&str>) -> bool {
        let from_us = origin.is_none_or(|origin| {
            origin
                .strip_prefix("http://")
                .or(origin.strip_prefix("https://"))
                .is_some_and(|name| name == host)
        });
        match &self.token {
            None => from_us && is_this_machine(host),
            Some(token) => {
                let cookie = cookies.split(';').filter_map(|cookie| cookie.trim().split_once('='));
                let known = cookie.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value);
                from_us && known.chain(given).any(|said| same(said, token))
            }
        }
    }

    /// The cookie for whoever gave the right token in the address.
    pub fn cookie(&self, given: Option<&str>) -> Option<String> {
        let token = self.token.as_deref()?;
        same(given?, token).then(|| format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/"))
    }
}

/// Compares without telling by its time how much was right.
fn same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differing == 0
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_need_a_token_and_pages_of_others_get_nothing() {
        let here: SocketAddr = "127.0.0.1:8080".parse().unwrap();
        let everywhere: SocketAddr = "0.0.0.0:8080".parse().unwrap();
        assert!(Guard::new(&everywhere, None).is_err());
        assert!(Guard::new(&everywhere, Some("short".to_string())).is_err());
        let guard = Guard::new(&here, None).unwrap();
        assert!(guard.admits("localhost:8080", None, "", None));
        assert!(guard.admits("127.0.0.1:8080", Some("http://127.0.0.1:8080"), "", None));
        assert!(!guard.admits("evil.example:8080", None, "", None), "a name that was bent to this machine");
        assert!(!guard.admits("localhost:8080", Some("http://evil.example"), "", None));
        assert!(!guard.admits("localhost:8080", Some("null"), "", None));
        let guard = Guard::new(&everywhere, Some("0123456789abcdef".to_string())).unwrap();
        assert!(!guard.admits("host:1", None, "", None));
        assert!(!guard.admits("host:1", None, "tabula-token=0123456789abcdeX", None));
        assert!(guard.admits("host:1", None, "a=b; tabula-token=0123456789abcdef", None));
        assert!(guard.admits("host:1", None, "", Some("0123456789abcdef")));
        assert!(guard.cookie(Some("wrong")).is_none());
    }
}
