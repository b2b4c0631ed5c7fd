//! `loop confirm` and `loop approve`: questions to the user, and what only the user decides.

use super::place::{Place, actor};
use super::{Context, Exit, tell};
use crate::files::{Digest, tell_terminal};
use crate::loops::Error;
use crate::loops::operation::Operation;
use crate::report::loops::Confirmation;
use crate::say;

/// Ask the user, or answer
///
/// An answer needs a terminal, or the token that the question has shown there.
///
/// Examples:
///   loop confirm --request --context "delete the old table" --option yes --option no
///   loop confirm --answer yes
///   loop confirm mode
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Confirm {
    /// What else is confirmed: `mode`, as the state has it, or `plan`
    #[arg(value_name = "WHAT", value_parser = ["mode", "plan"])]
    what: Option<String>,
    /// Ask
    #[arg(long, requires = "context", conflicts_with_all = ["answer", "what"])]
    request: bool,
    /// What is asked
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// What may be answered
    #[arg(long = "option", value_name = "TEXT")]
    options: Vec<String>,
    /// Answer
    #[arg(long, value_name = "TEXT", conflicts_with = "what", required_unless_present_any = ["request", "what"])]
    answer: Option<String>,
    /// The token that was shown at the terminal
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

/// Approve the plan
///
/// As `loop confirm plan`.
#[derive(clap::Args)]
pub(super) struct Approve {
    /// The token that was shown at the terminal
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

impl Approve {
    pub(super) fn run(self, context: &Context) -> Exit {
        let nonce = digest(self.token.as_deref());
        let done = in_operation(context, |operation| operation.confirm_plan(nonce.as_deref()));
        tell(context, self.json, done)
    }
}

impl Confirm {
    pub(super) fn run(self, context: &Context) -> Exit {
        tell(context, self.json, self.confirm(context))
    }

    fn confirm(&self, context: &Context) -> Result<Confirmation, Error> {
        if let (true, Some(question)) = (self.request, &self.context) {
            let nonce = show_nonce(context)?;
            return in_operation(context, |operation| {
                let (operation, _) = operation.request(question, &self.options, nonce.as_deref())?;
                Ok(operation)
            });
        }
        let nonce = digest(self.token.as_deref());
        let nonce = nonce.as_deref();
        in_operation(context, |operation| match (&self.answer, self.what.as_deref()) {
            (Some(answer), _) => operation.answer(answer, nonce),
            (None, Some("mode")) => operation.confirm_mode(nonce),
            (None, _) => operation.confirm_plan(nonce),
        })
    }
}

fn in_operation(
    context: &Context,
    work: impl for<'h, 's> FnOnce(Operation<'h, 's>) -> Result<Operation<'h, 's>, Error>,
) -> Result<Confirmation, Error> {
    Place::find(context).write_own(context, |held| {
        let operation = work(Operation::begin(held, actor())?)?;
        let pending = operation.state().get("pending_confirmation");
        Ok(Confirmation {
            pending: pending.cloned().unwrap_or_default(),
            mode: operation.mode(),
            plan_confirmed: operation.gate().is_plan_confirmed(),
        })
    })
}

/// Tokens are kept by their digest: whoever may read the gate state has no use for it.
fn digest(token: Option<&str>) -> Option<String> {
    token.map(|token| Digest::of(token.trim().as_bytes()).hex())
}

/// Shows a new token at the terminal; its digest. None where there is no terminal.
fn show_nonce(context: &Context) -> Result<Option<String>, Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|e| Error::NoChance(e.to_string()))?;
    let token = Digest::from_bytes(bytes).hex();
    let line = say!(context.voice(), "token of the user: {token}", "用户令牌：{token}");
    // A terminal that is gone shows nothing: then the answer needs one.
    let is_shown = tell_terminal(&line).unwrap_or(false);
    Ok(is_shown.then(|| digest(Some(&token))).flatten())
}
