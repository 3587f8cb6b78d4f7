//! The sessions over HTTP: begun by an initialize request, named by `Mcp-Session-Id`, ended by the client or a timeout.
//!
//! This module owns the number and the age of sessions. A session is a little memory and runs nothing, so it may stay
//! idle for a working day. A client whose session has ended gets the status 404 and then initializes again. Revisions
//! of the protocol from 2026-07-28 on have no sessions: a request of such a revision belongs to no session, whatever
//! headers it carries.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use spyhop_engine::Session;

/// The header that names a session.
pub const HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The first revision without sessions. Revisions are dates, so they compare as texts.
const WITHOUT: &[u8] = b"2026-07-28";
/// The most sessions at once. Beyond that a session that is not active makes room; if all are active, the client gets no
/// session, and is answered from the tree alone.
const MOST: usize = 256;
/// A session is active for this long after a request, if the client has sent more than the notification that ends the
/// greeting. So no number of greetings ends the session of a client at work.
const ACTIVE: Duration = Duration::from_secs(30 * 60);
/// The idle time after which a session has ended.
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);

/// The sessions of a server.
#[derive(Default)]
pub struct Sessions {
    open: Mutex<HashMap<HeaderValue, OpenSession>>,
}

struct OpenSession {
    session: Session,
    used: Instant,
    requests: usize,
}

impl OpenSession {
    fn is_active(&self, now: Instant) -> bool {
        self.requests > 1 && now.saturating_duration_since(self.used) < ACTIVE
    }
}

/// The session that a request names. A request with two session headers names neither session, and none is found.
pub fn named(headers: &HeaderMap) -> Option<HeaderValue> {
    if headers.get(VERSION).is_some_and(|version| version.as_bytes() >= WITHOUT) {
        return None;
    }
    let mut names = headers.get_all(HEADER).iter();
    let name = names.next()?;
    Some(if names.next().is_none() { name.clone() } else { HeaderValue::from_static("") })
}

impl Sessions {
    /// Begins a session and returns its name. Returns `None` when every session is active, and when the system has no
    /// random bytes, because a name that others can guess would be worse than no session.
    pub fn begin(&self, now: Instant) -> Option<HeaderValue> {
        let mut bytes = [0; 16];
        if let Err(error) = getrandom::fill(&mut bytes) {
            tracing::warn!(%error, "no session can be named");
            return None;
        }
        let name: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = HeaderValue::from_str(&name).ok()?;
        let mut open = self.live(now);
        if open.len() >= MOST {
            let inactive = open.iter().filter(|(_, open)| !open.is_active(now));
            let idlest = inactive.min_by_key(|(_, open)| open.used).map(|(name, _)| name.clone());
            let Some(idlest) = idlest else {
                tracing::warn!("all {MOST} sessions are active, so another client gets none");
                return None;
            };
            open.remove(&idlest);
        }
        open.insert(name.clone(), OpenSession { session: Session::new(), used: now, requests: 0 });
        Some(name)
    }

    /// The session of that name.
    pub fn find(&self, name: &HeaderValue, now: Instant) -> Option<Session> {
        let mut open = self.live(now);
        let found = open.get_mut(name)?;
        found.used = now;
        found.requests += 1;
        Some(found.session.clone())
    }

    /// Ends the session of that name and returns whether there was one.
    pub fn end(&self, name: &HeaderValue, now: Instant) -> bool {
        self.live(now).remove(name).is_some()
    }

    /// Removes expired sessions and returns the rest.
    fn live(&self, now: Instant) -> MutexGuard<'_, HashMap<HeaderValue, OpenSession>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, open| now.saturating_duration_since(open.used) < IDLE);
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_when_it_was_idle_or_is_told_to() {
        let (sessions, begin) = (Sessions::default(), Instant::now());
        let [idle, busy, told] = [(); 3].map(|()| sessions.begin(begin).unwrap());
        let later = begin + IDLE / 2;
        assert!(sessions.find(&busy, later).is_some() && sessions.end(&told, later));
        let last = begin + IDLE;
        let found = [&idle, &busy, &told].map(|name| sessions.find(name, last).is_some());
        assert_eq!(found, [false, true, false]);
        assert!(!sessions.end(&told, last));
    }

    #[test]
    fn the_idlest_makes_room() {
        let (sessions, begin) = (Sessions::default(), Instant::now());
        let at = |seconds: usize| begin + Duration::from_secs(seconds as u64);
        let names: Vec<_> = (0..MOST).map(|number| sessions.begin(at(number)).unwrap()).collect();
        sessions.find(&names[0], at(MOST));
        sessions.begin(at(MOST + 1));
        let found = [0, 1, 2].map(|number| sessions.find(&names[number], at(MOST + 2)).is_some());
        assert_eq!(found, [true, false, true]);
        assert_eq!(sessions.live(begin).len(), MOST);
    }

    #[test]
    fn no_number_of_greetings_ends_an_active_session() {
        let (sessions, begin) = (Sessions::default(), Instant::now());
        let at = |seconds: usize| begin + Duration::from_secs(seconds as u64);
        let active = sessions.begin(begin).unwrap();
        assert!([1, 2].iter().all(|second| sessions.find(&active, at(*second)).is_some()));
        for second in 3..3 + 3 * MOST {
            let greeted = sessions.begin(at(second)).unwrap();
            sessions.find(&greeted, at(second)).unwrap();
        }
        assert!(sessions.find(&active, at(4 * MOST)).is_some());
        // Where all sessions are active, a newcomer gets none, until one of them rests.
        let names: Vec<HeaderValue> = sessions.live(begin).keys().cloned().collect();
        names.iter().for_each(|name| assert!(sessions.find(name, at(4 * MOST)).is_some()));
        assert!(sessions.begin(at(4 * MOST)).is_none());
        assert!(sessions.begin(at(4 * MOST) + ACTIVE).is_some());
    }

    #[test]
    fn who_has_no_session_by_the_protocol_names_none() {
        let headers = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            named(&headers)
        };
        assert_eq!(headers(&[]), None);
        assert_eq!(headers(&[("mcp-session-id", "a")]).unwrap(), "a");
        assert_eq!(headers(&[("mcp-session-id", "a"), ("mcp-session-id", "b")]).unwrap(), "");
        assert_eq!(headers(&[("mcp-session-id", "a"), ("mcp-protocol-version", "2025-11-25")]).unwrap(), "a");
        assert_eq!(headers(&[("mcp-session-id", "a"), ("mcp-protocol-version", "2026-07-28")]), None);
    }
}
