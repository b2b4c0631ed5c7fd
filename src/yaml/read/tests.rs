//! What is read, and what is refused.

use super::*;

fn message(text: &str) -> String {
    parse(text.as_bytes()).expect_err(text).to_string()
}

#[test]
fn a_key_given_twice_is_an_error_at_the_second_one() {
    assert_eq!(
        message("a:\n  b: 1\n  \"b\": 2\n"),
        "the key `b` is given twice in one mapping at line 3, column 3"
    );
    assert!(message("{16: a, 0x10: b}").contains("given twice"));
    assert!(parse(b"1: a\n'1': b\n").is_ok());
}

#[test]
fn a_second_document_is_an_error() {
    assert!(message("a: 1\n---\nb: 2\n").contains("second document"));
    assert!(message("---\n---\n").contains("second document"));
    assert!(parse(b"---\na: 1\n...\n").is_ok());
}

#[test]
fn an_alias_without_anchor_and_one_inside_its_anchor_are_errors() {
    assert!(parse(b"a: *b\n").is_err());
    assert!(message("a: &a [*a]").contains("inside its own anchor"));
    let value = parse(b"a: &a [1]\nb: *a\n").expect("resolves");
    assert_eq!(value.get("b").and_then(Value::as_list).map(<[_]>::len), Some(1));
}

#[test]
fn a_tab_as_indentation_is_an_error() {
    for text in [
        "a:\n\tb: 1\n",
        "a:\n  b: 1\n\tc: 2\n",
        "- a\n\t- b\n",
        "a:\n  \tb: 1\n  c: 2\n",
    ] {
        assert!(parse(text.as_bytes()).is_err(), "{text:?}");
    }
}

#[test]
fn a_tab_may_stand_between_a_key_and_its_value() {
    let value =
        parse("a:\tx\nl:\n  - 名:\t\t値\n    n: {m:\t1,\tk:\ty}\nt: \"q:\tr\"\nb: |\n  k:\tv\n".as_bytes());
    let value = value.expect("tabs separate");
    let text = |v: Option<&Value>| v.and_then(Value::as_text).map(str::to_owned);
    assert_eq!(text(value.get("a")).as_deref(), Some("x"));
    assert_eq!(text(value.get("t")).as_deref(), Some("q:\tr"));
    assert_eq!(text(value.get("b")).as_deref(), Some("k:\tv\n"));
    let item = &value.get("l").and_then(Value::as_list).expect("a list")[0];
    assert_eq!(text(item.get("名")).as_deref(), Some("値"));
    assert_eq!(text(item.get("n").and_then(|n| n.get("k"))).as_deref(), Some("y"));
    for nested in ["a:\tb: c\n", "a:\t- b\n"] {
        assert!(parse(nested.as_bytes()).is_err(), "{nested:?}");
    }
    let many = (0..9000).fold(String::new(), |text, n| text + &format!("k{n}:\tv\n"));
    assert!(parse(many.as_bytes()).is_ok());
}

#[test]
fn merge_keys_are_ordinary_keys() {
    let value = parse(b"x: &x {a: 1}\ny: {<<: *x, b: 2}\n").expect("valid");
    let y = value.get("y").expect("there");
    assert!(y.get("a").is_none());
    assert!(y.get("<<").is_some());
}

#[test]
fn marks_line_ends_bad_bytes_and_empty_files_are_read() {
    let value = parse(b"\xef\xbb\xbfa: x\xff\r\nb: 2\r\n").expect("valid");
    assert_eq!(value.get("a").and_then(Value::as_str), Some("x\u{fffd}"));
    for text in ["", "# only a comment\n", "\u{feff}", "\n\n"] {
        assert!(parse(text.as_bytes()).expect(text).is_null());
    }
}

#[test]
fn what_stands_behind_a_nul_does_not_vanish() {
    assert_eq!(
        message("a: 1\nb\0: 2\n"),
        "a NUL character is not allowed in YAML at line 2, column 2"
    );
}

#[test]
fn spans_are_bytes_of_the_file() {
    let text = "名: 値 # note\n\"q\": 'it''s' # 'x'\n\"d\": \"\\\\\\\" #\" # \"x\"\nlist:\n  - a b  \n  - {x: [1, 2]}\nend: |\n  block\n";
    let value = parse(text.as_bytes()).expect("valid");
    let of = |value: &Value| &text[value.span().start..value.span().end];
    assert_eq!(of(value.get("名").expect("there")), "値");
    assert_eq!(of(value.get("q").expect("there")), "'it''s'");
    assert_eq!(of(value.get("d").expect("there")), "\"\\\\\\\" #\"");
    let list = value.get("list").and_then(Value::as_list).expect("a list");
    assert_eq!((of(&list[0]), of(&list[1])), ("a b", "{x: [1, 2]}"));
    assert_eq!(of(list[1].get("x").expect("there")), "[1, 2]");
    let keys: Vec<&str> = value
        .as_map()
        .expect("a map")
        .entries
        .iter()
        .map(|(k, _)| of(k))
        .collect();
    assert_eq!(keys, ["名", "\"q\"", "\"d\"", "list", "end"]);
}

#[test]
fn a_comma_before_the_closing_bracket_is_inside_of_it() {
    for text in [
        "{a: 1, }",
        "{a: 1,}",
        "{a: 1, # x }\n\t}",
        "{a: {b: 1,},\n}",
        "{a: [1, ], }",
    ] {
        let value = parse(text.as_bytes()).expect(text);
        let map = value.as_map().expect(text);
        assert_eq!((map.flow, map.span), (true, Span::new(0, text.len())), "{text}");
    }
    let value = parse(b"{a: 1, }: 2\n").expect("a mapping with a mapping for a key");
    assert!(!value.as_map().expect("a mapping").flow);
}

#[test]
fn bombs_and_towers_are_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let last = format!("*a{}", n - 1);
        let line = format!("a{n}: &a{n} [{}]\n", vec![last; 10].join(", "));
        bomb.push_str(&line);
    }
    assert!(message(&bomb).contains("multiply"));
    for unit in ["[", "{a: ", "- ", "? "] {
        assert!(parse(unit.repeat(100_000).as_bytes()).is_err(), "{unit}");
    }
}
