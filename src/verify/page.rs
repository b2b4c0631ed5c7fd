//! The reports of a run as pages: HTML that needs no other file, no script and no network, and carries a date and no
//! time (verify.md 11). They say what the reports in Markdown say, and name all other cases too.

use super::gate::Verified;
use super::outline::{Body, Cell, Outline, Part, Smoke, State, lines};
use super::precheck::GateResult;
use crate::text::{Bytes, escape};
use crate::voice::Voice;

/// Colours are named once per scheme; on paper it is always the light one.
const STYLE: &str = "
:root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --faint: #57606a; --line: #d0d7de; --good: #116329; --bad: #a40e26; }
@media screen and (prefers-color-scheme: dark) {
  :root { --back: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --good: #56d364; --bad: #ff7b72; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1rem; }
h1, h2 { line-height: 1.25; }
h2 { margin-top: 2rem; font-size: 1.25rem; }
.made { color: var(--faint); }
.gate { border: 1px solid; border-left-width: .5rem; border-radius: .25rem; padding: .75rem 1rem; font-size: 1.25rem; overflow-wrap: anywhere; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.good, .bad { font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .375rem .75rem; text-align: start; vertical-align: top; }
tbody th { font-weight: 600; white-space: nowrap; }
td { min-width: 6ch; unicode-bidi: isolate; }
td.text { min-width: 14ch; overflow-wrap: anywhere; white-space: pre-wrap; }
td ul { margin: 0; padding: 0; list-style: none; white-space: nowrap; }
.ids { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: 0; list-style: none; }
.ids li { overflow-wrap: anywhere; unicode-bidi: isolate; }
@media print {
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; }
  .scroll { overflow-x: visible; }
  thead { display: table-header-group; }
  tr, li, .gate { break-inside: avoid; }
  h2 { break-after: avoid; }
  tbody th, td ul { white-space: normal; }
  tbody th { min-width: 14ch; }
  tbody th, td { overflow-wrap: anywhere; }
}
";

/// The acceptance report.
pub fn acceptance(
    run: &Verified,
    result: GateResult,
    reason: Option<&'static str>,
    date: &str,
    voice: &Voice,
) -> Bytes {
    let mut outline = Outline::acceptance(run, result, reason, date, voice);
    outline.ids(voice.pick("Passed Cases", "通过的用例"), &run.passed);
    outline.ids(voice.pick("Manual Cases", "人工用例"), &run.cases.manual);
    html(&outline, voice)
}

/// The smoke report. `passed` are the cases that it does not name.
pub fn smoke(run: &Smoke<'_>, passed: &[String], date: &str, voice: &Voice) -> Bytes {
    let mut outline = Outline::smoke(run, date, voice);
    outline.ids(voice.pick("Passed Cases", "通过的用例"), passed);
    html(&outline, voice)
}

fn html(outline: &Outline, voice: &Voice) -> Bytes {
    let lang = voice.language.locale();
    let (title, program, date) = (outline.title, outline.program, &outline.date);
    let (name, word) = (outline.gate.name, outline.gate.word());
    let class = if outline.gate.result.passes() {
        "good"
    } else {
        "bad"
    };
    let reason = outline.gate.reason.map(|reason| format!(" ({})", text(reason)));
    let reason = reason.unwrap_or_default();
    // The policy holds even if the escaping should not.
    let mut out = format!(
        "<!DOCTYPE html>
<html lang=\"{lang}\">
<head>
<meta charset=\"utf-8\"/>
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>
<meta name=\"color-scheme\" content=\"light dark\"/>
<title>{word} - {title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class=\"made\">{program}, {date} (UTC)</p>
<p class=\"gate\">{name}: <strong class=\"{class}\">{word}</strong>{reason}</p>
"
    );
    for Part { title, lead, body } in &outline.parts {
        out += &format!("<section>\n<h2>{title}</h2>\n");
        if let Some(lead) = lead {
            out += &format!("<p>{}</p>\n", text(lead));
        }
        match body {
            Body::Table { header, rows } => table(&mut out, title, header, rows, voice),
            Body::List(ids) => {
                out += "<ul class=\"ids\">\n";
                for id in ids {
                    out += &format!("<li>{}</li>\n", text(id));
                }
                out += "</ul>\n";
            }
        }
        out += "</section>\n";
    }
    out += "</main>\n</body>\n</html>\n";
    out.into_bytes()
}

/// A table in a box that scrolls, with the keyboard too.
fn table(out: &mut String, title: &str, header: &[&str], rows: &[Vec<Cell>], voice: &Voice) {
    *out += &format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{title}\" tabindex=\"0\">\n<table>\n<thead>\n<tr>"
    );
    for name in header {
        *out += &format!("<th scope=\"col\">{name}</th>");
    }
    *out += "</tr>\n</thead>\n<tbody>\n";
    for row in rows {
        *out += "<tr>";
        for (n, cell) in row.iter().enumerate() {
            let shown = content(cell, voice);
            *out += &match cell {
                // What a row is about.
                Cell::Text(_) if n == 0 => format!("<th scope=\"row\">{shown}</th>"),
                Cell::Text(_) => format!("<td class=\"text\">{shown}</td>"),
                Cell::State(_) | Cell::Ticked(_) | Cell::Cases(_) => format!("<td>{shown}</td>"),
            };
        }
        *out += "</tr>\n";
    }
    *out += "</tbody>\n</table>\n</div>\n";
}

fn content(cell: &Cell, voice: &Voice) -> String {
    match cell {
        Cell::Text(written) => text(written),
        Cell::State(state) => word(*state, voice),
        Cell::Ticked(true) => voice.pick("yes", "是").to_owned(),
        Cell::Ticked(false) => format!("<span class=\"bad\">{}</span>", voice.pick("no", "否")),
        Cell::Cases(cases) if cases.is_empty() => String::new(),
        Cell::Cases(cases) => {
            let item =
                |(id, state): &(String, State)| format!("<li>{}: {}</li>", text(id), word(*state, voice));
            format!("<ul>{}</ul>", cases.iter().map(item).collect::<String>())
        }
    }
}

/// The word says it all; its colour only helps to find it.
fn word(state: State, voice: &Voice) -> String {
    let word = state.word(voice);
    match state {
        State::Pass => format!("<span class=\"good\">{word}</span>"),
        State::Fail | State::Uncovered | State::NoLinkedCases => format!("<span class=\"bad\">{word}</span>"),
        State::Skip | State::Manual => word.to_owned(),
    }
}

/// Text of a stranger, a line per line, with nothing in it that could act: what is hidden is shown, and markup is text.
fn text(foreign: &str) -> String {
    let mut out = String::with_capacity(foreign.len());
    for line in lines(foreign) {
        if !out.is_empty() {
            out.push_str("<br/>");
        }
        for c in escape(line).chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                c => out.push(c),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn foreign_text_is_no_markup_and_hides_nothing() {
        assert_eq!(
            text("<a b='\"'>&amp;\u{202e}\0\r\n\nx\ty"),
            "&lt;a b=&#39;&quot;&#39;&gt;&amp;amp;\\u{202E}\\x00<br/>x\\ty"
        );
    }
}
