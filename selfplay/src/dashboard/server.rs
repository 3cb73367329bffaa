//! HTTP: addresses become requests, answers become JSON. What a client may take of this machine is bounded: connections,
//! their idle time, the size of what they send, work at the same time.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request as HttpRequest, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::assets;
use super::events::{News, spread};
use super::guard::Guard;
use super::play::{self, Wish};
use super::position::{Judge, read_fen};
use super::problem::Problem;
use super::request::Request;
use super::state::Dashboard;

/// Connections at once; more wait until one ends.
const MOST_CONNECTIONS: usize = 512;
/// A connection on which nothing moves is closed.
const MOST_IDLE: Duration = Duration::from_secs(60);
/// What a page may send.
const LARGEST_BODY: usize = 64 << 10;
/// Answers that are made at the same time; a night needs the rest of the machine.
const WORKERS: usize = 2;
/// How long a request waits for a worker.
const PATIENCE: Duration = Duration::from_secs(20);
/// Archives are handed out up to this size.
const LARGEST_FILE: u64 = 512 << 20;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// A night's report has its styles inside, and no script.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

struct Server {
    dashboard: Arc<Dashboard>,
    guard: Guard,
    news: Arc<News>,
    workers: Arc<Semaphore>,
}

/// Serves until the process ends. `ready` hears the address, which has a port of its own if none was asked for.
pub fn run(
    dashboard: Dashboard,
    guard: Guard,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(WORKERS + 2)
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        ready(listener.local_addr()?);
        let (dashboard, news) = (Arc::new(dashboard), Arc::new(News::default()));
        let workers = Arc::new(Semaphore::new(WORKERS));
        tokio::spawn(spread(dashboard.clone(), news.clone()));
        // Nights that have ended are read once, before the first reader asks.
        let warmed = dashboard.clone();
        tokio::task::spawn_blocking(move || Request::Overview.answer(&warmed).is_ok());
        let server = Arc::new(Server { dashboard, guard, news, workers });
        let router = Router::new().fallback(answer).with_state(server);
        let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        axum::serve(Bounded { listener, permits }, router).await
    })
}

async fn answer(State(server): State<Arc<Server>>, request: HttpRequest) -> Response {
    let query = pairs(request.uri().query().unwrap_or_default());
    let given = query.iter().find(|(name, _)| name == "token").map(|(_, value)| value.as_str());
    if !is_admitted(&server.guard, request.headers(), given) {
        let advice = "this page is for its own machine, or for whoever opens it with ?token=SECRET";
        return (StatusCode::FORBIDDEN, advice).into_response();
    }
    let cookie = server.guard.cookie(given);
    let mut response = match route(&server, request, &query).await {
        Ok(response) => response,
        Err(problem) => refusal(&problem),
    };
    let headers = response.headers_mut();
    let mut set = |name: header::HeaderName, value: &str| {
        if let (false, Ok(value)) = (headers.contains_key(&name), value.parse()) {
            headers.insert(name, value);
        }
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CACHE_CONTROL, "no-cache");
    if let Some(cookie) = cookie {
        set(header::SET_COOKIE, &cookie);
    }
    response
}

fn is_admitted(guard: &Guard, headers: &HeaderMap, given: Option<&str>) -> bool {
    let text = |name| header_text(headers, name);
    let (host, cookies) = (text(header::HOST).unwrap_or_default(), text(header::COOKIE).unwrap_or_default());
    guard.admits(host, text(header::ORIGIN), cookies, given)
}

fn header_text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn refusal(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, json_type(), serde_json::json!({"error": problem.to_string()}).to_string()).into_response()
}

fn json_type() -> [(header::HeaderName, &'static str); 1] {
    [(header::CONTENT_TYPE, "application/json")]
}

async fn route(
    server: &Arc<Server>,
    request: HttpRequest,
    query: &[(String, String)],
) -> Result<Response, Problem> {
    let path = request.uri().path().to_string();
    let parts = path_parts(&path)?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let is_post = request.method() == Method::POST;
    if !is_post && request.method() != Method::GET && request.method() != Method::HEAD {
        return Err(Problem::Refused("this server knows GET and POST".to_string()));
    }
    match (is_post, parts.as_slice()) {
        (false, [] | [""]) => asset("index.html"),
        (false, ["assets", name]) => asset(name),
        (false, ["data", way @ .., last]) => {
            let mut way = way.to_vec();
            way.push(last.strip_suffix(".json").unwrap_or(last));
            let asked = Request::read(&way, query)?;
            let told = work(server, move |dashboard| asked.answer(dashboard)).await?;
            Ok((json_type(), told.to_string()).into_response())
        }
        (false, ["events"]) => live(server),
        (false, ["analyse"]) => analyse(server, query),
        (false, ["archive", night, name]) => file(server, night, &["ship", name]).await,
        (false, ["report", night]) => file(server, night, &["report.html"]).await,
        (true, ["play"]) => {
            post(server, request, |dashboard, wish| play::answer(&dashboard.place, &dashboard.analysis, wish))
                .await
        }
        (true, ["record"]) => post(server, request, keep).await,
        _ => Err(Problem::Unknown(format!("there is no page {path}"))),
    }
}

/// Each part of a path by itself, decoded once: what was no separator does not become one.
fn path_parts(path: &str) -> Result<Vec<String>, Problem> {
    let refused = || Problem::Refused("the address is not well written".to_string());
    path.trim_start_matches('/').split('/').map(|part| decoded(part, false).ok_or_else(refused)).collect()
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decoded(name, true)?, decoded(value, true)?))
    });
    pairs.collect()
}

/// `%41` is A; in a query `+` is a space.
fn decoded(text: &str, plus: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
            }
            b'+' if plus => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn asset(name: &str) -> Result<Response, Problem> {
    let (kind, text) =
        assets::find(name).ok_or_else(|| Problem::Unknown(format!("there is no file {name}")))?;
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// Reads files and thinks beside the thread that speaks with everybody, a few at a time.
async fn work<T: Send + 'static>(
    server: &Arc<Server>,
    how: impl FnOnce(&Dashboard) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let waiting = timeout(PATIENCE, server.workers.clone().acquire_owned()).await;
    let Ok(Ok(permit)) = waiting else { return Err(Problem::Busy("too many pages ask at once".to_string())) };
    let dashboard = server.dashboard.clone();
    let done = tokio::task::spawn_blocking(move || {
        let told = how(&dashboard);
        drop(permit);
        told
    });
    done.await.map_err(|_| Problem::Refused("this page cannot be made".to_string()))?
}

async fn post(
    server: &Arc<Server>,
    request: HttpRequest,
    how: impl FnOnce(&Dashboard, &Wish) -> Result<Value, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    // A form of another site cannot send this type without asking first.
    if header_text(request.headers(), header::CONTENT_TYPE) != Some("application/json") {
        return Err(Problem::Refused("send JSON".to_string()));
    }
    let body = timeout(MOST_IDLE, to_bytes(request.into_body(), LARGEST_BODY)).await;
    let Ok(Ok(body)) = body else {
        return Err(Problem::Refused(format!("at most {LARGEST_BODY} bytes, and soon")));
    };
    let text: Value = serde_json::from_slice(&body).map_err(|error| Problem::Refused(error.to_string()))?;
    let wish = Wish::read(&text)?;
    let told = work(server, move |dashboard| how(dashboard, &wish)).await?;
    Ok((json_type(), told.to_string()).into_response())
}

fn keep(dashboard: &Dashboard, wish: &Wish) -> Result<Value, Problem> {
    let Some(folder) = &dashboard.played else {
        return Err(Problem::Refused(
            "games are not kept: start the server with --played FOLDER".to_string(),
        ));
    };
    let source = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let source = source.map_or(0, |since| since.as_nanos() as u64);
    play::record(folder, source, wish)
}

/// A file of a night, to be saved; the report to be looked at.
async fn file(server: &Arc<Server>, night: &str, parts: &[&str]) -> Result<Response, Problem> {
    let (night, parts) = (night.to_string(), parts.iter().map(|part| part.to_string()).collect::<Vec<_>>());
    let name = parts.last().cloned().unwrap_or_default();
    let bytes = work(server, move |dashboard| {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let path = dashboard.place.night(&night)?.file(&parts)?;
        let failed = |error: std::io::Error| Problem::of_file(&path, error);
        match std::fs::metadata(&path).map_err(failed)?.len() {
            size if size > LARGEST_FILE => Err(Problem::of_file(&path, "too large to be handed out")),
            _ => std::fs::read(&path).map_err(failed),
        }
    })
    .await?;
    if name == "report.html" {
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_SECURITY_POLICY, REPORT_POLICY),
        ];
        return Ok((headers, bytes).into_response());
    }
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{plain}\"")),
    ];
    Ok((headers, Body::from(bytes)).into_response())
}

/// Messages as they come.
struct Messages(mpsc::Receiver<Arc<str>>);

impl Stream for Messages {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|message| Some(Ok(Event::default().data(message?))))
    }
}

fn live(server: &Arc<Server>) -> Result<Response, Problem> {
    let Some(receiver) = server.news.listen() else {
        return Err(Problem::Busy("too many pages follow the night".to_string()));
    };
    Ok(Sse::new(Messages(receiver)).keep_alive(KeepAlive::new()).into_response())
}

/// A search whose every iteration is told; it ends when the page goes.
fn analyse(server: &Arc<Server>, query: &[(String, String)]) -> Result<Response, Problem> {
    let asked = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let board = read_fen(&asked("fen").unwrap_or_default())?;
    let number = |name: &str| asked(name).and_then(|text| text.parse::<u64>().ok());
    let (nodes, lines) = (number("nodes").unwrap_or(500_000), number("lines").unwrap_or(1) as usize);
    let night = asked("night");
    let (sender, receiver) = mpsc::channel::<Arc<str>>(256);
    let dashboard = server.dashboard.clone();
    tokio::task::spawn_blocking(move || {
        let tell = |told: Value| sender.try_send(told.to_string().into());
        let found = dashboard.analysis.turn().and_then(|turn| {
            let judge = Judge::of(&dashboard.place, night.as_deref())?;
            Ok(dashboard.analysis.search(&turn, &board, &judge, nodes, lines, |told| {
                !matches!(tell(told), Err(mpsc::error::TrySendError::Closed(_)))
            }))
        });
        let last = match found {
            Ok(result) => serde_json::json!({"end": result}),
            Err(problem) => serde_json::json!({"error": problem.to_string()}),
        };
        // Nobody may be listening any more.
        let _ = tell(last);
    });
    Ok(Sse::new(Messages(receiver)).into_response())
}

/// A listener with a bound on its connections.
struct Bounded {
    listener: TcpListener,
    permits: Arc<Semaphore>,
}

impl axum::serve::Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            let Ok(permit) = self.permits.clone().acquire_owned().await else {
                std::future::pending::<()>().await;
                continue;
            };
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // Small messages at once; where that cannot be had they come later.
                    let _ = stream.set_nodelay(true);
                    return (
                        Connection { stream, _permit: permit, idle: Box::pin(sleep(MOST_IDLE)) },
                        address,
                    );
                }
                // Too many open files, or a client that has gone already.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when nothing moves for too long.
struct Connection {
    stream: TcpStream,
    _permit: OwnedSemaphorePermit,
    idle: Pin<Box<Sleep>>,
}

impl Connection {
    fn watched<T>(
        &mut self,
        context: &mut Context,
        step: Poll<std::io::Result<T>>,
    ) -> Poll<std::io::Result<T>> {
        if step.is_ready() {
            self.idle.as_mut().reset(Instant::now() + MOST_IDLE);
            return step;
        }
        match self.idle.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(std::io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        buffer: &mut ReadBuf,
    ) -> Poll<std::io::Result<()>> {
        let step = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.watched(context, step)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let step = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, step)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_decoded_part_by_part_and_once() {
        assert_eq!(path_parts("/data/night/a%2Fb").unwrap(), ["data", "night", "a/b"]);
        assert_eq!(path_parts("/data/%252e%252e").unwrap(), ["data", "%2e%2e"]);
        assert!(path_parts("/data/%zz").is_err() && path_parts("/data/%f").is_err());
        assert_eq!(
            pairs("fen=a+b%20c&x"),
            [("fen".to_string(), "a b c".to_string()), ("x".to_string(), String::new())]
        );
    }
}
