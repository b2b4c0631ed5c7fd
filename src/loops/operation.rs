//! What the writing commands do once they hold the lock (loop.md 7): state and gate state before, entry, state after.

use serde_json::Value;

use super::confirm::{self, Expired};
use super::document::{object, set, text};
use super::store::{Change, Held};
use super::{Actor, Error, Gate, Mode, Phase, Ran, Termination, artifact, route, transition};

/// A loop in the hands of a command that may write.
pub struct Operation<'h, 's> {
    held: &'h mut Held<'s>,
    state: Value,
    gate: Gate,
    mode: Mode,
    actor: Actor,
}

impl<'h, 's> Operation<'h, 's> {
    /// Takes the loop up. A question whose time is over is ended first.
    pub fn begin(held: &'h mut Held<'s>, actor: Actor) -> Result<Self, Error> {
        let mut operation = Self {
            state: held.own_state()?,
            gate: held.gate()?,
            mode: held.mode()?,
            held,
            actor,
        };
        confirm::settle_words(&mut operation.state);
        let now = operation.held.now();
        let (state, gate) = (&mut operation.state, &mut operation.gate);
        if let Some(expired) = confirm::expire(state, gate, operation.mode, now) {
            let mut data = object([("action", Value::from(expired.as_str()))]);
            if let Expired::Degraded(mode) = expired {
                operation.mode = mode;
                set(&mut data, "mode", mode.as_str());
            }
            operation.write(Actor::Program, "timeout", data)?;
        }
        Ok(operation)
    }

    pub fn state(&self) -> &Value {
        &self.state
    }

    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    fn write(&mut self, actor: Actor, op: &'static str, data: Value) -> Result<(), Error> {
        self.held.write(&Change {
            actor,
            op,
            data,
            state: Some(&self.state),
            gate: &self.gate,
        })
    }

    fn done(mut self, op: &'static str, data: Value) -> Result<Self, Error> {
        self.write(self.actor, op, data)?;
        Ok(self)
    }

    /// `route`.
    pub fn route(mut self) -> Result<(Self, route::Route), Error> {
        let route = route::route(&self.state)?;
        route.apply(&mut self.state, &mut self.gate, self.held.now());
        let data = object([
            ("from", Value::from(route.from.as_str())),
            ("to", Value::from(route.to.as_str())),
            ("reason", Value::from(route.reason)),
        ]);
        Ok((self.done("route", data)?, route))
    }

    /// `transition`: where the loop came from, and where it stands.
    pub fn transition(mut self, way: Way, reason: Option<&str>) -> Result<(Self, Phase, Phase), Error> {
        let from = transition::phase(&self.state)?;
        let now = self.held.now();
        let (state, gate) = (&mut self.state, &mut self.gate);
        let to = match way {
            Way::To(to) => transition::go(state, gate, self.mode, to, reason, now)?,
            Way::Fail => transition::fail(state, gate, self.mode, reason, now)?,
            Way::Resume(to) => transition::resume(state, gate, to, now)?,
        };
        let data = object([
            ("from", Value::from(from.as_str())),
            ("to", Value::from(to.as_str())),
            ("reason", reason.map_or(Value::Null, Value::from)),
        ]);
        Ok((self.done("transition", data)?, from, to))
    }

    /// `artifact record`: checksum and version.
    pub fn record(mut self, tree: &dyn crate::files::Tree, key: &str) -> Result<(Self, String, i128), Error> {
        let now = self.held.now();
        let (checksum, version) = artifact::record(tree, &mut self.state, key, now)?;
        let data = object([
            ("key", Value::from(key)),
            ("checksum", Value::from(checksum.as_str())),
        ]);
        Ok((self.done("artifact", data)?, checksum, version))
    }

    /// `confirm --request`; `nonce` is the digest of one that was shown to the user. The id of the question.
    pub fn request(
        mut self,
        context: &str,
        options: &[String],
        nonce: Option<&str>,
    ) -> Result<(Self, String), Error> {
        let now = self.held.now();
        let id = confirm::request(&mut self.state, context, options, now);
        if let Some(nonce) = nonce {
            self.gate.issue(nonce, now);
        }
        let data = object([("id", Value::from(id.as_str()))]);
        Ok((self.done("request", data)?, id))
    }

    /// The user's consent: at a terminal, or with a nonce, of which the digest is known.
    fn consent(&mut self, nonce: Option<&str>, data: &mut Value) -> Result<(), Error> {
        if let Some(nonce) = nonce {
            let journal = self.held.stored.as_ref().map(|stored| &stored.journal);
            let is_used = journal.is_some_and(|journal| journal.has_accepted(nonce));
            if is_used || !self.gate.consume(nonce) {
                return Err(Error::Token);
            }
            set(data, "nonce", nonce);
            self.actor = Actor::User;
        }
        match self.actor {
            Actor::User => Ok(()),
            Actor::Program | Actor::Driver => Err(Error::NeedsUser),
        }
    }

    /// `confirm --answer`.
    pub fn answer(mut self, answer: &str, nonce: Option<&str>) -> Result<Self, Error> {
        let mut data = object([("answer", Value::from(answer))]);
        self.consent(nonce, &mut data)?;
        let now = self.held.now();
        confirm::answer(&mut self.state, &mut self.gate, answer, now)?;
        self.done("confirm", data)
    }

    /// `confirm mode`: the mode that the state has is the one that counts from now on.
    pub fn confirm_mode(mut self, nonce: Option<&str>) -> Result<Self, Error> {
        let written = text(&self.state, "config.mode").and_then(Mode::parse);
        let mode = written.ok_or(Error::Field("config.mode"))?;
        let mut data = object([("mode", Value::from(mode.as_str()))]);
        self.consent(nonce, &mut data)?;
        self.mode = mode;
        self.done("mode", data)
    }

    /// `confirm plan`.
    pub fn confirm_plan(mut self, nonce: Option<&str>) -> Result<Self, Error> {
        let mut data = object([("plan", Value::from(true))]);
        self.consent(nonce, &mut data)?;
        self.gate.confirm_plan("user");
        self.done("plan", data)
    }

    /// `pause` and `fail`.
    pub fn stop(mut self, phase: Phase, reason: Option<&str>) -> Result<Self, Error> {
        let now = self.held.now();
        transition::go(&mut self.state, &mut self.gate, self.mode, phase, reason, now)?;
        let data = object([("reason", reason.map_or(Value::Null, Value::from))]);
        let op = if phase == Phase::Failed { "fail" } else { "pause" };
        self.done(op, data)
    }

    /// `complete`, after everything was judged.
    pub fn complete(mut self, ran: &[Ran]) -> Result<Self, Error> {
        let from = transition::phase(&self.state)?;
        if !from.is_running() || self.gate.status() != Some(Termination::Running) {
            return Err(Error::Illegal {
                from,
                to: Phase::Complete,
                allowed: transition::allowed(&self.state, &self.gate, self.mode)?,
            });
        }
        let now = self.held.now();
        self.gate
            .terminate(Termination::Complete, Some(now), Some("converged"));
        transition::enter(&mut self.state, Phase::Complete, now);
        let commands: Vec<Value> = ran
            .iter()
            .map(|ran| {
                object([
                    ("command", Value::from(ran.command.as_str())),
                    ("exit_code", ran.exit_code.map_or(Value::Null, Value::from)),
                ])
            })
            .collect();
        self.done("complete", object([("commands", Value::from(commands))]))
    }
}

/// Where a transition is to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    To(Phase),
    Fail,
    Resume(Option<Phase>),
}

/// Begins a loop, or a new one over another. A mode that allows more than the one that counts needs the user.
pub fn begin(held: &mut Held<'_>, actor: Actor, mode: Option<Mode>, request: &str) -> Result<Mode, Error> {
    let before = held.stored.as_ref().and_then(|stored| stored.journal.mode());
    let mode = mode.or(before).unwrap_or(Mode::Auto);
    let allows_more =
        before.is_some_and(|before| mode != before && mode != before.safer() && mode != Mode::Safe);
    if allows_more && actor != Actor::User {
        return Err(Error::NeedsUser);
    }
    let state = super::fresh_state(mode, request)?;
    let gate = super::fresh_gate();
    let data = object([("mode", Value::from(mode.as_str()))]);
    held.write(&Change {
        actor,
        op: "init",
        data,
        state: Some(&state),
        gate: &gate,
    })?;
    Ok(mode)
}
