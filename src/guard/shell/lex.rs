//! From text to words and operators.

use super::{Unreadable, Word};

/// A piece of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, with the scripts that run inside it.
    Word(Word, Vec<String>),
    /// `;`, `&`, `&&`, `||`, a newline, `;;`.
    Separator,
    /// `(`
    Open,
    /// `)`
    Close,
    Pipe,
    /// `<`, `>`, `>>`, `>|`, `&>`, `<>`, `>&`, `<&`.
    Redirect(&'static str),
    /// `<<` or `<<-` with its text, and the scripts that run inside it.
    Document(Word, Vec<String>),
}

/// Operators, the longest first.
const OPERATORS: [&str; 24] = [
    "&>>", "<<<", "<<-", ";;&", "&&", "||", "|&", ";;", ";&", "&>", ">>", ">|", ">&", "<&", "<>", "<<", ";",
    "&", "|", "(", ")", "<", ">", "\n",
];

/// Scripts inside scripts, as deep as people write them.
pub(super) const DEEPEST: usize = 32;

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    /// Here-documents whose text begins after this line: token, delimiter, and whether it is quoted or indented.
    waiting: Vec<(usize, String, bool, bool)>,
}

/// Cuts a script into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Unreadable> {
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::new(),
        waiting: Vec::new(),
    };
    lexer.run()?;
    Ok(lexer.tokens)
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn run(&mut self) -> Result<(), Unreadable> {
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { break };
            if rest.starts_with("\\\n") {
                self.at += 2;
            } else if matches!(c, ' ' | '\t' | '\r') {
                self.at += 1;
            } else if c == '#' {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("<(") || rest.starts_with(">(") {
                self.word()?;
            } else if let Some(length) = arithmetic(rest) {
                self.arithmetic(length)?;
            } else if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
                self.operator(operator)?;
            } else {
                self.word()?;
            }
        }
        if self.waiting.is_empty() {
            Ok(())
        } else {
            self.documents()
        }
    }

    /// `((…))` runs what it holds in `$( )` only.
    fn arithmetic(&mut self, length: usize) -> Result<(), Unreadable> {
        let scripts = inner_scripts(&self.rest()[..length])?;
        let word = Word {
            text: "((".to_owned(),
            dynamic: true,
            quoted: true,
        };
        self.at += length;
        self.tokens.push(Token::Word(word, scripts));
        Ok(())
    }

    fn operator(&mut self, operator: &'static str) -> Result<(), Unreadable> {
        self.at += operator.len();
        match operator {
            "|" | "|&" => self.tokens.push(Token::Pipe),
            "<<<" => self.tokens.push(Token::Redirect("<<<")),
            "<<" | "<<-" => self.document(operator == "<<-")?,
            "&>" | "&>>" | ">>" | ">|" | ">" | "<>" | "<" | ">&" | "<&" => {
                self.tokens.push(Token::Redirect(operator));
            }
            "\n" => {
                // What is piped may stand on the next line.
                if self.tokens.last() != Some(&Token::Pipe) {
                    self.tokens.push(Token::Separator);
                }
                if !self.waiting.is_empty() {
                    self.documents()?;
                }
            }
            "(" => self.tokens.push(Token::Open),
            ")" => self.tokens.push(Token::Close),
            _ => self.tokens.push(Token::Separator),
        }
        Ok(())
    }

    /// The delimiter of a here-document; its text follows on the next lines.
    fn document(&mut self, indented: bool) -> Result<(), Unreadable> {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
        let before = self.tokens.len();
        let start = self.at;
        self.word()?;
        if self.at == start {
            return Err(Unreadable);
        }
        let Some(Token::Word(word, _)) = self.tokens.pop().filter(|_| self.tokens.len() == before) else {
            return Err(Unreadable);
        };
        self.waiting.push((before, word.text, word.quoted, indented));
        self.tokens.push(Token::Document(Word::default(), Vec::new()));
        Ok(())
    }

    fn documents(&mut self) -> Result<(), Unreadable> {
        for (token, delimiter, quoted, indented) in std::mem::take(&mut self.waiting) {
            let [end, whole] = document_ends(self.rest(), &delimiter, indented);
            let body = self.rest()[..end].to_owned();
            self.at += whole;
            let scripts = if quoted { Vec::new() } else { inner_scripts(&body)? };
            let word = Word {
                text: body,
                dynamic: !quoted,
                quoted,
            };
            self.tokens[token] = Token::Document(word, scripts);
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), Unreadable> {
        let mut word = Building::default();
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { break };
            if rest.starts_with("<(") || rest.starts_with(">(") {
                let inner = balanced(&rest[2..], '(', ')')?;
                word.scripts.push(inner.to_owned());
                word.word.dynamic = true;
                self.at += 2 + inner.len() + 1;
                continue;
            }
            if matches!(
                c,
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>'
            ) {
                break;
            }
            let length = word.take(rest)?;
            self.at += length;
        }
        let rest = self.rest();
        let is_redirected =
            rest.starts_with(['<', '>']) && !rest.starts_with("<(") && !rest.starts_with(">(");
        // `2>`, `{fd}>`: what stands right before an operator is no word.
        if !(is_redirected && is_descriptor(&word.word)) {
            self.tokens.push(Token::Word(word.word, word.scripts));
        }
        Ok(())
    }
}

fn is_descriptor(word: &Word) -> bool {
    let text = word.text.as_str();
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let named = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    !word.quoted && !word.dynamic && (is_number || named.is_some_and(is_name))
}

/// A word while it is read.
#[derive(Default)]
struct Building {
    word: Word,
    scripts: Vec<String>,
}

impl Building {
    /// Takes the next piece; how long it is.
    fn take(&mut self, rest: &str) -> Result<usize, Unreadable> {
        let c = rest.chars().next().unwrap_or_default();
        match c {
            '\\' => {
                let Some(next) = rest[1..].chars().next() else {
                    return Ok(1);
                };
                if next != '\n' {
                    self.word.text.push(next);
                    self.word.quoted = true;
                }
                Ok(1 + next.len_utf8())
            }
            '\'' => {
                let end = rest[1..].find('\'').ok_or(Unreadable)?;
                self.word.text.push_str(&rest[1..=end]);
                self.word.quoted = true;
                Ok(end + 2)
            }
            '"' => self.double(rest),
            '$' | '`' => self.expansion(rest, false),
            '*' | '?' | '[' | '~' => {
                self.word.text.push(c);
                self.word.dynamic |= c != '~';
                Ok(1)
            }
            c => {
                self.word.text.push(c);
                Ok(c.len_utf8())
            }
        }
    }

    fn double(&mut self, rest: &str) -> Result<usize, Unreadable> {
        self.word.quoted = true;
        let mut at = 1;
        loop {
            let inner = &rest[at..];
            let c = inner.chars().next().ok_or(Unreadable)?;
            match c {
                '"' => return Ok(at + 1),
                '\\' => {
                    let next = inner[1..].chars().next().ok_or(Unreadable)?;
                    if next != '\n' {
                        if !matches!(next, '$' | '`' | '"' | '\\') {
                            self.word.text.push('\\');
                        }
                        self.word.text.push(next);
                    }
                    at += 1 + next.len_utf8();
                }
                '$' | '`' => at += self.expansion(inner, true)?,
                c => {
                    self.word.text.push(c);
                    at += c.len_utf8();
                }
            }
        }
    }

    /// `$x`, `${x}`, `$(…)`, `$((…))`, a backquoted script, `$'…'`.
    fn expansion(&mut self, rest: &str, in_quotes: bool) -> Result<usize, Unreadable> {
        if let Some(inner) = rest.strip_prefix('`') {
            let mut script = String::new();
            let mut chars = inner.char_indices();
            while let Some((at, c)) = chars.next() {
                match c {
                    '`' => {
                        self.scripts.push(script);
                        self.word.dynamic = true;
                        return Ok(at + 2);
                    }
                    '\\' => match chars.next() {
                        Some((_, escaped @ ('`' | '\\' | '$'))) => script.push(escaped),
                        Some((_, other)) => script.extend(['\\', other]),
                        None => return Err(Unreadable),
                    },
                    c => script.push(c),
                }
            }
            return Err(Unreadable);
        }
        let after = &rest[1..];
        if let Some(open) = after.strip_prefix('(') {
            let inner = balanced(open, '(', ')')?;
            // Arithmetic runs what it holds in `$( )` only.
            match inner.strip_prefix('(') {
                Some(sum) => self.scripts.extend(inner_scripts(sum)?),
                None => self.scripts.push(inner.to_owned()),
            }
            self.word.dynamic = true;
            return Ok(2 + inner.len() + 1);
        }
        if let Some(open) = after.strip_prefix('{') {
            let inner = balanced(open, '{', '}')?;
            self.scripts.extend(inner_scripts(inner)?);
            self.word.dynamic = true;
            return Ok(2 + inner.len() + 1);
        }
        if !in_quotes && after.starts_with('\'') {
            self.word.quoted = true;
            return Ok(1 + self.ansi(&after[1..])? + 1);
        }
        if !in_quotes && after.starts_with('"') {
            return Ok(1 + self.double(after)?);
        }
        let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match after.chars().next() {
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => 1,
            Some(c) if name(c) => after.len() - after.trim_start_matches(name).len(),
            _ => {
                self.word.text.push('$');
                return Ok(1);
            }
        };
        self.word.dynamic = true;
        Ok(1 + length)
    }

    /// `$'…'` from behind its quote; how long it is with the closing one.
    fn ansi(&mut self, rest: &str) -> Result<usize, Unreadable> {
        let mut at = 0;
        loop {
            let inner = &rest[at..];
            let c = inner.chars().next().ok_or(Unreadable)?;
            if c == '\'' {
                return Ok(at + 1);
            }
            if c != '\\' {
                self.word.text.push(c);
                at += c.len_utf8();
                continue;
            }
            let next = inner[1..].chars().next().ok_or(Unreadable)?;
            let digits = |from: usize, radix: u32, most: usize| {
                inner[from..]
                    .chars()
                    .take(most)
                    .take_while(|c| c.is_digit(radix))
                    .count()
            };
            let (from, radix, most) = match next {
                'x' => (2, 16, 2),
                'u' => (2, 16, 4),
                'U' => (2, 16, 8),
                '0'..='7' => (1, 8, 3),
                _ => (0, 0, 0),
            };
            let length = if most > 0 { digits(from, radix, most) } else { 0 };
            if length > 0 {
                let code = u32::from_str_radix(&inner[from..from + length], radix).map_err(|_| Unreadable)?;
                self.word.text.extend(char::from_u32(code));
                at += from + length;
                continue;
            }
            self.word.text.push(match next {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'a' => '\u{7}',
                'b' => '\u{8}',
                'e' | 'E' => '\u{1b}',
                other => other,
            });
            at += 1 + next.len_utf8();
        }
    }
}

/// How long the `((…))` is that a text begins with; none if it is a subshell in a subshell.
fn arithmetic(text: &str) -> Option<usize> {
    let outer = balanced(text.strip_prefix("((").map(|_| &text[1..])?, '(', ')').ok()?;
    let inner = balanced(&outer[1..], '(', ')').ok()?;
    (inner.len() + 2 == outer.len()).then_some(outer.len() + 2)
}

/// The text up to the bracket that closes the one before it; quotes, inner brackets and the texts of here-documents are
/// passed over.
fn balanced(text: &str, open: char, close: char) -> Result<&str, Unreadable> {
    let mut depth = 1usize;
    let mut quote = None;
    let mut escaped = false;
    let mut documents = Vec::new();
    let mut resume = 0;
    for (at, c) in text.char_indices() {
        if at < resume {
            continue;
        }
        if escaped {
            escaped = false;
            continue;
        }
        if quote.is_none() && open == '(' && text[at..].starts_with("<<") {
            let rest = text[at + 2..].trim_start_matches('<');
            // `<<<` is a text of its own.
            if rest.len() == text.len() - at - 2 {
                documents.extend(delimiter(rest));
            }
            resume = text.len() - rest.len();
            continue;
        }
        if quote.is_none() && c == '\n' && !documents.is_empty() {
            resume = at + 1;
            for (delimiter, indented) in documents.drain(..) {
                resume += document_ends(&text[resume..], &delimiter, indented)[1];
            }
            continue;
        }
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if c == open => depth += 1,
            (None, c) if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Ok(&text[..at]);
                }
            }
            (_, _) => {}
        }
    }
    Err(Unreadable)
}

/// The delimiter of a here-document from behind its `<<`, and whether its lines may be indented; none if there is none.
fn delimiter(rest: &str) -> Option<(String, bool)> {
    let indented = rest.starts_with('-');
    let rest = rest
        .strip_prefix('-')
        .unwrap_or(rest)
        .trim_start_matches([' ', '\t']);
    let mut word = Building::default();
    let mut at = 0;
    while let Some(c) = rest[at..].chars().next() {
        if c.is_whitespace() || ";&|()<>".contains(c) {
            break;
        }
        at += word.take(&rest[at..]).ok()?;
    }
    (at > 0).then_some((word.word.text, indented))
}

/// How long the text of a here-document is, and how long with the line that ends it.
fn document_ends(text: &str, delimiter: &str, indented: bool) -> [usize; 2] {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let shown = line.trim_end_matches('\n');
        let shown = if indented {
            shown.trim_start_matches('\t')
        } else {
            shown
        };
        if shown == delimiter {
            return [at, at + line.len()];
        }
        at += line.len();
    }
    [at; 2]
}

/// The scripts that a text runs which is expanded, but not cut into words.
fn inner_scripts(text: &str) -> Result<Vec<String>, Unreadable> {
    let mut building = Building::default();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at += match c {
            '\\' => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            '$' | '`' => building.expansion(&text[at..], true)?,
            c => c.len_utf8(),
        };
    }
    Ok(building.scripts)
}
