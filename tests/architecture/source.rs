//! A source file as words, signs and string literals, without comments and without what only tests compile.

/// A piece of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier, a keyword or a number.
    Word(String),
    /// One character of punctuation.
    Sign(char),
    /// What stands between the quotes of a string literal.
    Text(String),
    /// A character literal or a lifetime; nobody asks which.
    Quote,
}

/// A file of `src/`.
#[derive(Debug)]
pub(crate) struct File {
    /// From the top of the package.
    pub(crate) path: String,
    /// The module directly below the library that it belongs to.
    pub(crate) module: String,
    /// How many modules it lies below the library: 1 for `x.rs` and `x/mod.rs`.
    pub(crate) depth: usize,
    pub(crate) lines: usize,
    /// With their lines, counted from 1.
    pub(crate) tokens: Vec<(Token, usize)>,
    /// Starts of the paths of files that hold its test modules.
    pub(crate) test_files: Vec<String>,
}

impl File {
    /// Reads a file given by its path below `src`.
    pub(crate) fn read(name: &str, text: &str) -> Self {
        let parts: Vec<&str> = name.trim_end_matches(".rs").split('/').collect();
        let is_folder = parts.len() > 1 && parts.last() == Some(&"mod");
        let depth = parts.len() - usize::from(is_folder);
        let (tokens, tests) = without_tests(&tokens(text));
        let folder = parts[..depth].join("/");
        Self {
            path: format!("src/{name}"),
            module: parts[0].to_owned(),
            depth,
            lines: text.lines().count(),
            tokens,
            test_files: tests
                .iter()
                .flat_map(|test| [format!("src/{folder}/{test}.rs"), format!("src/{folder}/{test}/")])
                .collect(),
        }
    }

    pub(crate) fn word(&self, at: usize) -> Option<&str> {
        word(&self.tokens, at)
    }

    pub(crate) fn is_sign(&self, at: usize, sign: char) -> bool {
        is_sign(&self.tokens, at, sign)
    }

    /// Whether `::` stands there.
    pub(crate) fn is_separator(&self, at: usize) -> bool {
        self.is_sign(at, ':') && self.is_sign(at + 1, ':')
    }

    /// Whether the word there is called as a macro.
    pub(crate) fn is_macro_call(&self, at: usize) -> bool {
        self.is_sign(at + 1, '!') && !self.is_sign(at + 2, '=')
    }
}

fn word(tokens: &[(Token, usize)], at: usize) -> Option<&str> {
    match tokens.get(at) {
        Some((Token::Word(word), _)) => Some(word),
        Some((Token::Sign(_) | Token::Text(_) | Token::Quote, _)) | None => None,
    }
}

fn is_sign(tokens: &[(Token, usize)], at: usize, sign: char) -> bool {
    tokens
        .get(at)
        .is_some_and(|(token, _)| *token == Token::Sign(sign))
}

/// Cuts a source text into tokens.
fn tokens(text: &str) -> Vec<(Token, usize)> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut out = Vec::new();
    loop {
        reader.skip_blank();
        let line = reader.line;
        match reader.token() {
            Some(token) => out.push((token, line)),
            None => return out,
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// Takes up to and with `end`; to the end of the file without it.
    fn take_through(&mut self, end: &str) -> &'a str {
        let bytes = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len());
        self.take(bytes)
    }

    fn skip_blank(&mut self) {
        loop {
            if self.rest.starts_with("//") {
                self.take_through("\n");
            } else if self.rest.starts_with("/*") {
                self.skip_block_comment();
            } else if self.rest.starts_with(char::is_whitespace) {
                let blank = self.rest.len() - self.rest.trim_start().len();
                self.take(blank);
            } else {
                return;
            }
        }
    }

    /// Block comments nest.
    fn skip_block_comment(&mut self) {
        let mut open = 0;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") {
                open += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                open -= 1;
                self.take(2);
                if open == 0 {
                    return;
                }
            } else {
                let next = self.rest.chars().next().map_or(0, char::len_utf8);
                self.take(next);
            }
        }
    }

    fn token(&mut self) -> Option<Token> {
        let first = self.rest.chars().next()?;
        if first == '"' {
            return Some(self.string());
        }
        if first == '\'' {
            return Some(self.quote());
        }
        if !is_word(first) {
            self.take(first.len_utf8());
            return Some(Token::Sign(first));
        }
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let word = self.take(end);
        let hashes = self.rest.len() - self.rest.trim_start_matches('#').len();
        let quoted = self.rest[hashes..].starts_with('"');
        Some(match word {
            "r" | "br" | "cr" if quoted => self.raw_string(hashes),
            "b" | "c" if quoted && hashes == 0 => self.string(),
            "b" if self.rest.starts_with('\'') => self.quote(),
            "r" if hashes == 1 => {
                self.take(1);
                return self.token();
            }
            _ => Token::Word(word.to_owned()),
        })
    }

    fn string(&mut self) -> Token {
        let mut escaped = false;
        let inner = self.rest[1..].find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let inner = inner.unwrap_or(self.rest.len() - 1);
        self.take(1);
        let text = self.take(inner).to_owned();
        self.take(1.min(self.rest.len()));
        Token::Text(text)
    }

    fn raw_string(&mut self, hashes: usize) -> Token {
        let end = format!("\"{}", "#".repeat(hashes));
        self.take(hashes + 1);
        let text = self.take_through(&end);
        Token::Text(text.strip_suffix(end.as_str()).unwrap_or(text).to_owned())
    }

    /// `'x'`, `'\''`, or a lifetime.
    fn quote(&mut self) -> Token {
        self.take(1);
        let mut chars = self.rest.chars();
        let (first, second) = (chars.next(), chars.next());
        if first == Some('\\') {
            self.take(1);
            let escaped = self.rest.chars().next().map_or(0, char::len_utf8);
            self.take(escaped);
            self.take_through("'");
        } else if second == Some('\'') {
            self.take(first.map_or(0, char::len_utf8) + 1);
        }
        Token::Quote
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Leaves out what follows `#[cfg(test)]`. Also returns the names of test modules that have files of their own.
fn without_tests(tokens: &[(Token, usize)]) -> (Vec<(Token, usize)>, Vec<String>) {
    let (mut out, mut files) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let Some(mut end) = attribute(tokens, at).filter(|end| is_for_tests(&tokens[at..*end])) else {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        };
        while let Some(next) = attribute(tokens, end) {
            end = next;
        }
        let start = end + usize::from(word(tokens, end) == Some("pub"));
        if let (Some("mod"), Some(name), true) = (
            word(tokens, start),
            word(tokens, start + 1),
            is_sign(tokens, start + 2, ';'),
        ) {
            files.push(name.to_owned());
        }
        at = item(tokens, end);
    }
    (out, files)
}

/// Where the attribute that starts here ends.
fn attribute(tokens: &[(Token, usize)], at: usize) -> Option<usize> {
    (is_sign(tokens, at, '#') && is_sign(tokens, at + 1, '[')).then(|| closing(tokens, at + 1))
}

fn is_for_tests(attribute: &[(Token, usize)]) -> bool {
    let says = |name: &str| (0..attribute.len()).any(|i| word(attribute, i) == Some(name));
    says("cfg") && says("test") && !says("not")
}

/// Where the item that starts here ends: after its `;` or after its block.
fn item(tokens: &[(Token, usize)], start: usize) -> usize {
    let is_import = word(tokens, start) == Some("use") || word(tokens, start + 1) == Some("use");
    let mut at = start;
    while at < tokens.len() {
        match tokens[at].0 {
            Token::Sign(';') => return at + 1,
            Token::Sign('{') if !is_import => return closing(tokens, at),
            Token::Sign('{' | '(' | '[') => at = closing(tokens, at),
            Token::Sign(_) | Token::Word(_) | Token::Text(_) | Token::Quote => at += 1,
        }
    }
    at
}

/// Behind the bracket that closes the one here.
fn closing(tokens: &[(Token, usize)], at: usize) -> usize {
    let mut open = 0;
    for (i, (token, _)) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Sign('{' | '(' | '[') => open += 1,
            Token::Sign('}' | ')' | ']') => {
                open -= 1;
                if open == 0 {
                    return i + 1;
                }
            }
            Token::Sign(_) | Token::Word(_) | Token::Text(_) | Token::Quote => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let file = File::read("a.rs", text);
        let shown = file.tokens.iter().map(|(token, _)| match token {
            Token::Word(word) => word.clone(),
            Token::Sign(sign) => sign.to_string(),
            Token::Text(text) => format!("<{text}>"),
            Token::Quote => "'".to_owned(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn quotes_and_comments_hide_what_they_hold() {
        let cases = [
            ("a // b\nc /* d /* e */ f */ g", "a c g"),
            ("'a' b'\\'' '\"' '\\u{41}' x", "' ' ' ' x"),
            ("&'a str 'static", "& ' a str ' static"),
            (
                "r#type r\"a\" r#\"b\"c\"# b\"d\\\"e\" \"/* f */\"",
                "type <a> <b\"c> <d\\\"e> </* f */>",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_only_tests_compile_is_left_out() {
        let cases = [
            ("a #[cfg(test)] mod tests { b { c } } d", "a d"),
            ("a #[cfg(test)] #[allow(x)] use b::{c, d}; e", "a e"),
            ("a #[cfg(all(test, unix))] fn f(x: [u8; 2]) { b } c", "a c"),
            ("#[cfg(not(test))] a", "# [ cfg ( not ( test ) ) ] a"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_file_knows_its_module_and_its_files_of_tests() {
        let file = File::read("markdown/three_way/mod.rs", "a\n#[cfg(test)]\nmod tests;\n");
        assert_eq!((file.module.as_str(), file.depth, file.lines), ("markdown", 2, 3));
        assert_eq!(
            file.test_files,
            ["src/markdown/three_way/tests.rs", "src/markdown/three_way/tests/"]
        );
        assert_eq!(File::read("clock.rs", "").depth, 1);
    }

    #[test]
    fn lines_are_counted_through_everything_that_spans_them() {
        let file = File::read("a.rs", "/*\n*/ \"\n\" r\"\n\" x");
        assert_eq!(file.tokens.last(), Some(&(Token::Word("x".to_owned()), 4)));
    }
}
