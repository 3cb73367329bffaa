//! News of running nights, for every page that follows them. The folders are looked at once for all listeners, and not at
//! all while nobody listens.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::now;
use super::place::Place;
use super::state::Dashboard;

/// How often the folders are looked at.
const TICK: Duration = Duration::from_secs(1);
/// Listeners at once, at most.
pub const MOST_LISTENERS: usize = 256;
/// A listener that has not taken so many messages is gone, or hangs; its browser will come back.
const PATIENCE: usize = 16;

/// Who listens.
#[derive(Default)]
pub struct News {
    listeners: Mutex<Vec<mpsc::Sender<Arc<str>>>>,
}

impl News {
    /// A new listener; `None`: there are too many.
    pub fn listen(&self) -> Option<mpsc::Receiver<Arc<str>>> {
        let mut listeners = self.listeners.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        listeners.retain(|listener| !listener.is_closed());
        if listeners.len() >= MOST_LISTENERS {
            return None;
        }
        let (sender, receiver) = mpsc::channel(PATIENCE);
        listeners.push(sender);
        Some(receiver)
    }

    fn anybody(&self) -> bool {
        let mut listeners = self.listeners.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        listeners.retain(|listener| !listener.is_closed());
        !listeners.is_empty()
    }

    fn tell(&self, message: &Arc<str>) {
        let mut listeners = self.listeners.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        listeners.retain(|listener| listener.try_send(message.clone()).is_ok());
    }
}

/// Looks and tells, for as long as the server runs.
pub async fn spread(dashboard: Arc<Dashboard>, news: Arc<News>) {
    let (mut number, mut followed) = (0u64, Vec::new());
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if !news.anybody() {
            continue;
        }
        let (shared, before) = (dashboard.clone(), std::mem::take(&mut followed));
        let looked = tokio::task::spawn_blocking(move || look(&shared.place, &before)).await;
        // A panic there is a fault of one look; the next one may go well.
        let Ok((nights, names)) = looked else { continue };
        followed = names;
        number += 1;
        news.tell(&json!({"number": number, "nights": nights}).to_string().into());
    }
}

/// The nights that run, and those that ran at the last look: their end is news too.
fn look(place: &Place, before: &[String]) -> (Vec<Value>, Vec<String>) {
    let (mut nights, mut running) = (Vec::new(), Vec::new());
    for name in place.nights.names(&[]) {
        let followed = before.contains(&name);
        if !followed && place.nights.has(&[&name, "finished.json"]) {
            continue;
        }
        let Ok(night) = place.night(&name) else { continue };
        let manifest = night.json_or_null(&["manifest.json"]);
        if !manifest["settings"].is_object() {
            continue;
        }
        let live = super::night::live(&night, &manifest, now());
        let is_alive = live["alive"] == true;
        if is_alive || followed {
            nights.push(live);
        }
        if is_alive {
            running.push(name);
        }
    }
    (nights, running)
}
