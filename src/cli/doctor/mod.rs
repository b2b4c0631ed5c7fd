//! `doctor`: everything that is wrong with the project, the repository and the installation, with the cure (git.md 9).

mod cure;
mod project;
mod repository;
mod words;

use std::fmt::Display;

use super::trouble::Trouble;
use super::{Context, Exit, Format, finish};
use crate::git::Repository;
use crate::report::doctor::{Check, Examined};
use crate::voice::Say;
use words::Ailment;

/// Tell everything that is wrong with the project, the repository and the installation, with the cure
///
/// Looks at git, hooks, merge driver, lock, work trees, references, configuration, the documents and the formats that are
/// there. Exit code 2 if there is an error. `--fix` lays hooks and driver down again, ends an unfinished transaction,
/// repairs work trees, and deletes a damaged cache or an unsafe record; it takes away no work of yours.
///
/// Example: doctor --fix
#[derive(clap::Args)]
pub(super) struct Doctor {
    /// Cure what can be cured without losing anything
    #[arg(long)]
    fix: bool,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// What was found so far.
#[derive(Default)]
struct Ailments(Vec<Ailment>);

impl Ailments {
    fn push(&mut self, ailment: Ailment) {
        self.0.push(ailment);
    }

    fn extend(&mut self, more: impl IntoIterator<Item = Ailment>) {
        self.0.extend(more);
    }

    /// A fact, if it can be known; that it cannot is told.
    fn known<T, E: Display>(&mut self, fact: Result<T, E>) -> Option<T> {
        fact.map_err(|error| {
            self.push(Ailment::Unreadable {
                said: error.to_string(),
            });
        })
        .ok()
    }
}

impl Doctor {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let examined = self.examine(context);
        finish(context, "doctor", format, Ok::<_, Trouble>(examined))
    }

    fn examine(&self, context: &Context) -> Examined {
        let mut ailments = Ailments::default();
        let repository = repository::open(context, &mut ailments);
        look(context, repository, &mut ailments);
        let mut not_cured = Vec::new();
        if self.fix {
            if let Some(repository) = repository {
                not_cured = repository::mend(context, repository, &ailments.0);
            }
            not_cured.extend(super::silly::mend(context));
            not_cured.extend(super::loops::mend(context).err());
            // Opened anew: its configuration is another one now.
            let mut after = Ailments::default();
            let again = after.known(Repository::discover(&context.cwd, false)).flatten();
            look(context, again.as_ref(), &mut after);
            ailments = after;
        }
        let voice = context.voice();
        let checks = ailments
            .0
            .iter()
            .map(|ailment| Check {
                code: ailment.code(),
                severity: ailment.severity(),
                detail: ailment.say(voice),
                cure: ailment.cure(voice),
            })
            .collect();
        Examined {
            known: words::CODES.to_vec(),
            checks,
            not_cured,
        }
    }
}

fn look(context: &Context, repository: Option<&Repository>, out: &mut Ailments) {
    if let Some(repository) = repository {
        repository::look(context, repository, out);
    }
    project::look(context, repository, out);
}
