//! The results in `module-impact.md` (silly.md 9): what is to be done with the documents of modules, and what was.

use super::Module;
use super::document::{Left, RESULTS, find};
use crate::silly::sections::Sections;
use crate::silly::table::{Fault, Table, bare, in_cell, is_name, is_nothing, with_tables};
use crate::text::{Bytes, splice};

/// Yet to be reached.
const PENDING: &str = "待同步";
const DONE: &str = "✅";
const MAKE: &str = "新增";
const UPDATE: &str = "更新";

/// What was done to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    Made,
    Updated,
    /// It was as it is to be.
    Nothing,
}

/// Brings the rows up to the documents of the modules; results that were reached stay.
pub(super) fn merge_results(
    table: &mut Table,
    modules: &[Module],
    left: &mut Vec<Left>,
) -> Result<(), Fault> {
    let [name, action, state] = [0, 1, 2].map(|at| table.column(at));
    table.rows.retain(|row| !row.is_nothing());
    table.refuse_twice(name)?;
    let documents = modules.iter().filter_map(|module| {
        let (_, is_there) = module.document.as_ref()?;
        let action = if *is_there { UPDATE } else { MAKE };
        Some((document_name(&module.name), action))
    });
    let mut missing: Vec<(String, &str)> = documents.collect();
    let mut rows = Vec::new();
    for mut row in std::mem::take(&mut table.rows) {
        let at = missing
            .iter()
            .position(|(document, _)| is_name(row.cell(name), document));
        let is_pending = is_nothing(row.cell(state)) || row.cell(state) == PENDING;
        if let Some(at) = at {
            let (_, planned) = missing.remove(at);
            if is_pending {
                row.set(action, planned);
                row.set(state, PENDING);
            }
        } else if is_pending && row.others(&[name, action, state]).all(is_nothing) {
            left.push(Left {
                table: RESULTS.title,
                name: bare(row.cell(name)).to_owned(),
                kept: false,
            });
            continue;
        }
        rows.push(row);
    }
    rows.extend(
        missing
            .iter()
            .map(|(document, action)| table.row(&[document, action, PENDING])),
    );
    table.rows = rows;
    Ok(())
}

/// The document of the change with the results of a synchronisation, by the names of modules. A document to which nothing
/// was done keeps the result that it has.
pub fn with_results(bytes: &[u8], done: &[(String, Done)]) -> Result<Bytes, Fault> {
    if done.is_empty() {
        return Ok(bytes.to_vec());
    }
    let bytes = with_tables(bytes, &[&RESULTS])?;
    let sections = Sections::of(&bytes);
    let mut table = find(&sections, &RESULTS)?;
    let [name, action, state] = [0, 1, 2].map(|at| table.column(at));
    table.refuse_twice(name)?;
    for (module, done) in done {
        let document = document_name(module);
        let action_now = match done {
            Done::Made => MAKE,
            Done::Updated | Done::Nothing => UPDATE,
        };
        let known = table
            .rows
            .iter_mut()
            .find(|row| is_name(row.cell(name), &document));
        match known {
            Some(row) if *done == Done::Nothing && row.cell(state) == DONE => {}
            Some(row) => {
                row.set(action, action_now);
                row.set(state, DONE);
            }
            None => {
                let row = table.row(&[&document, action_now, DONE]);
                table.rows.push(row);
            }
        }
    }
    table.rows.retain(|row| !row.is_nothing());
    let edit = table.edit(sections.document());
    Ok(splice(&bytes, &[edit]))
}

/// The document of a module as the table of results names it.
fn document_name(module: &str) -> String {
    in_cell(&format!("{module}.md"))
}
