//! The answer of `deploy-done` (verify.md 13).

use std::io;

use serde::Serialize;

use super::{Answer, Screen};
use crate::flow::Step;
use crate::project::{Slug, layout};
use crate::say;
use crate::text::escape;
use crate::verify::deploy::DEPLOYMENT_REPORT;
use crate::verify::outcome::DEPLOY_DONE;
use crate::voice::Voice;

/// A deployment that was recorded.
pub struct Recorded {
    pub slug: Slug,
    pub environment: Option<String>,
    pub tasks: usize,
    pub cleared: Vec<&'static str>,
    pub next_step: Step,
}

#[derive(Serialize)]
pub struct Data {
    slug: String,
    environment: Option<String>,
    marker_path: String,
    deployment_report_path: &'static str,
    deploy_tasks_checked: usize,
    deploy_tasks_total: usize,
    cleared_smoke_markers: Vec<&'static str>,
    next_step: Step,
}

impl Answer for Recorded {
    type Data = Data;

    fn data(&self, _voice: &Voice) -> Data {
        let marker = layout::change(&self.slug).join(DEPLOY_DONE);
        Data {
            slug: self.slug.as_str().to_owned(),
            environment: self.environment.clone(),
            marker_path: marker.text().into_owned(),
            deployment_report_path: DEPLOYMENT_REPORT,
            deploy_tasks_checked: self.tasks,
            deploy_tasks_total: self.tasks,
            cleared_smoke_markers: self.cleared.clone(),
            next_step: self.next_step,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let (slug, tasks) = (&self.slug, self.tasks);
        let environment = self.environment.as_deref().map(escape);
        screen.line(&match environment {
            Some(environment) => say!(
                voice,
                "`{slug}` is deployed to {environment}; tasks done: {tasks}",
                "`{slug}` 已部署到 {environment}；完成任务：{tasks}"
            ),
            None => say!(
                voice,
                "`{slug}` is deployed; tasks done: {tasks}",
                "`{slug}` 已部署；完成任务：{tasks}"
            ),
        })
    }
}
