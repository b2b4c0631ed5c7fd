//! The progress of the milestone (state.md 5.6), and what `sync` makes of all directories (state.md 7).

use super::{Planning, Warning};
use crate::files::ReadError;
use crate::state::phases::{PhaseDirectory, fraction, percent};
use crate::state::roadmap::Scope;

/// The figures that the body gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyTotals {
    /// `Total Phases`.
    pub total_phases: Option<u64>,
    /// `Total Plans in Phase`.
    pub total_plans: Option<u64>,
    /// The first percentage in `Progress`.
    pub percent: Option<u64>,
}

/// The five figures, each as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub total_phases: Option<u64>,
    pub completed_phases: Option<u64>,
    pub total_plans: Option<u64>,
    pub completed_plans: Option<u64>,
    pub percent: Option<u64>,
    pub warnings: Vec<Warning>,
}

impl Planning<'_> {
    /// Counts the progress of the milestone. `stored_total` is the stored `progress.total_phases`.
    pub fn progress(&self, stored_total: Option<u64>, body: &BodyTotals) -> Result<Progress, ReadError> {
        if !self.has_phases_dir()? {
            return Ok(Progress {
                total_phases: body.total_phases,
                total_plans: body.total_plans,
                percent: body.percent,
                ..Progress::default()
            });
        }
        let counted = self.counted()?;
        let totals = Totals::of(&counted.directories);
        let mut warnings = counted.warnings.clone();
        let total_phases = self.total_phases(totals.directories, stored_total, &mut warnings)?;
        let percent = if self.scope()? == Scope::Complete && self.is_bounded()? {
            totals.percent(total_phases).or(body.percent)
        } else {
            None
        };
        Ok(Progress {
            total_phases,
            completed_phases: Some(totals.completed),
            total_plans: Some(totals.plans),
            completed_plans: Some(totals.done),
            percent,
            warnings,
        })
    }

    fn total_phases(
        &self,
        directories: u64,
        stored_total: Option<u64>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<u64>, ReadError> {
        let stored = self.stored.as_deref();
        let Some(read) = self.read()? else {
            return Ok(if stored.is_some() {
                stored_total
            } else {
                Some(directories)
            });
        };
        let is_one_of_several = read.roadmap.milestones().len() >= 2 && !self.is_bounded()?;
        if let Some(version) = stored.filter(|_| is_one_of_several) {
            let version = version.to_owned();
            warnings.push(Warning::Unbounded { version });
            return Ok(stored_total);
        }
        Ok(Some(directories.max(self.headed()?)))
    }

    /// The number of phases with a heading in the window.
    fn headed(&self) -> Result<u64, ReadError> {
        let Some(read) = self.read()? else {
            return Ok(0);
        };
        let headed = read.window.headed().iter();
        let alive = headed.filter(|id| !id.is_sentinel() && !read.retired.contains(id));
        Ok(count(alive.count()))
    }

    /// The percentage that `sync` writes: over all directories but retired ones; 0 when nothing is known (state.md 7).
    pub fn percent_of_all(&self) -> Result<u64, ReadError> {
        let totals = Totals::of(self.all_directories()?);
        let phases = totals.directories.max(self.headed()?);
        Ok(totals.percent(Some(phases)).unwrap_or(0))
    }

    /// The plan count that `sync` writes: of the last directory by name with fewer summaries than plans, else of the
    /// first one with plans (state.md 7).
    pub fn plans_of_running_phase(&self) -> Result<Option<u64>, ReadError> {
        let mut directories: Vec<&PhaseDirectory> = self.all_directories()?.iter().collect();
        directories.sort_by(|a, b| a.name.cmp(&b.name));
        let running = directories.iter().rfind(|found| found.summaries < found.plans);
        let found = running.or_else(|| directories.iter().find(|found| found.plans > 0));
        Ok(found.map(|found| found.plans))
    }
}

/// Sums over directories.
struct Totals {
    directories: u64,
    completed: u64,
    plans: u64,
    done: u64,
}

impl Totals {
    fn of(directories: &[PhaseDirectory]) -> Self {
        Self {
            directories: count(directories.len()),
            completed: count(directories.iter().filter(|found| found.is_complete()).count()),
            plans: directories.iter().map(|found| found.plans).sum(),
            done: directories.iter().map(|found| found.done).sum(),
        }
    }

    fn percent(&self, phases: Option<u64>) -> Option<u64> {
        let of_phases = phases.and_then(|total| fraction(self.completed, total));
        percent(fraction(self.done, self.plans), of_phases)
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
