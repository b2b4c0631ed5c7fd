//! The rules as patterns, for what no shell could read and for code of other languages: refused when in doubt.

use std::sync::OnceLock;

use regex::Regex;

use crate::text::js;

/// One set of patterns, compiled when it is first asked for. They are matched in lower case, lines joined.
macro_rules! patterns {
    ($name:ident, $patterns:expr) => {
        pub(super) fn $name(text: &str) -> Option<String> {
            static PATTERN: OnceLock<Regex> = OnceLock::new();
            let pattern = PATTERN.get_or_init(|| js(&$patterns.join("|")));
            let text = text.to_lowercase().replace(['\n', '\\'], " ");
            pattern
                .find(&text)
                .map(|found| found.as_str().trim().to_owned())
        }
    };
}

patterns!(
    catastrophe,
    [
        r#"\brm\s+(?:-\S+\s+)*-(?:[a-z]*r[a-z]*|-recursive)[^;&|]*?[\s'"](?:/(?:bin|boot|dev|etc|home|lib|opt|root|sbin|srv|usr|var)?|~|\.|\.\.|\$home|\$\{home\})/?\*?(?:['"\s);&|]|$)"#,
        r"\bmkfs",
        r">\s*/dev/(?:sd|nvme|hd|vd)",
        r"\bdd\b[^;&|]*\bof=/dev/(?:sd|nvme|hd|vd|disk)",
        r"\b(?:poweroff|reboot|diskpart|cryptsetup)\b",
        r"\bshutdown\s+(?:-h|-r|/r|now)",
        r"\bdrop\s+(?:table|database)\b",
        r"\biptables\s+-(?:f|x)\b",
        r"\biptables\s+-p\s+input\s+accept\b",
        r"\bsystemctl\s+disable\s+sshd\b",
        r"\bfdisk\s+/dev/",
        r"\bformat\s+[a-z]:",
        r#"\bpython[\d.]*\b.*\bopen\s*\([^)]*,\s*(?:mode\s*=\s*)?['"][rbt]*[wax+]"#,
        r"\bnode(?:js)?\b.*\b(?:writefile|appendfile|createwritestream)",
        r"\bnft\s+flush\s+ruleset",
        r"\bdocker\s+system\s+prune",
        r"\bgit\b[^;&|]*\bpush\b[^;&|]*\s(?:--force|-f\b|\+)",
        r"\bchmod\s+(?:-\S+\s+)*0?777\s+/",
        r#"\brmtree\s*\(\s*['"](?:/|~)"#,
        r":\s*\(\)\s*\{",
        r"\breg\s+delete\b",
        r"\bdel\s+/f",
        r"\brd\s+/s",
    ]
);
patterns!(
    injection,
    [
        r"\b(?:curl|wget|fetch|nc)\b[^;&]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b",
        r"\b(?:curl|wget|fetch|nc)\b[^;&]*\|\s*(?:sudo\s+)?(?:python|perl|ruby)",
        r"(?:\b(?:eval|source|exec)|(?:^|[;&|]\s*)\.)\s[^;&|]*\b(?:curl|wget|fetch|nc)\b",
        r"<\(\s*(?:curl|wget|fetch)\b",
        r"(?:base64\s+-d|base64\s+--decode|xxd\s+-r|openssl\s+enc[^|]*-d|\bod\b)[^;&]*\|\s*(?:(?:ba|z)?sh|python|perl|ruby|node)\b",
        r"/dev/tcp/",
    ]
);
patterns!(
    infrastructure,
    [
        r"(?:>|\b(?:tee|sed|jq|cp|mv|rm|chmod|chown|truncate|dd)\b)[^;&|]*(?:settings(?:\.local)?\.json|hooks/\S*\.sh|gate_state\.json|\.checksums\.sha256)",
        r"\bgit\b[^;&|]*\bupdate-ref\b",
        r"\bgit\b[^;&|]*refs/spec/",
    ]
);
patterns!(
    reversible,
    [
        r"\bgit\b[^;&|]*\breset\b[^;&|]*--hard",
        r"\bgit\b[^;&|]*\bclean\b[^;&|]*-[a-z]*f",
        r"\bchmod\b",
        r"\bchown\b",
        r"\bsystemctl\s+stop\b",
        r"\bkubectl\s+delete\b",
    ]
);
patterns!(
    path,
    [
        r"\.claude/settings(?:\.local)?\.json",
        r"loop-claudecode/hooks/",
        r"loop-claudecode/gate_state\.json",
        r"\.git/(?:\S*/)?spec/",
    ]
);
patterns!(
    gate,
    [
        r"(?:>|\b(?:tee|sed|jq|cp|mv|rm|chmod|chown|cat|python\S*|perl|ruby|dd|truncate|unlink|shred|wipe|install|find)\b).*(?:gate_state\.json|\.gate_lock|\.checksums\.sha256|\.checksums-anchor)",
        r"\bln\s+-s.*gate_state",
        r"\bgit\b.*(?:update-ref|refs/spec/)",
        r"\.git/(?:\S*/)?spec/",
    ]
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_know_what_no_shell_can_read() {
        for text in [
            "rm -rf / 'x",
            "sudo rm -r -f ~ \"",
            "mkfs.ext4 '",
            "git push origin -f '",
            "DROP TABLE a '",
            "fdisk /dev/sda '",
            "format c: '",
            "systemctl disable sshd '",
            "iptables -P INPUT ACCEPT '",
            "rm --recursive --force / '",
            "python3 -c \"open('a','w')",
            "node -e \"fs.writeFileSync('a')",
        ] {
            assert!(catastrophe(text).is_some(), "{text}");
        }
        for text in ["rm -rf ./target '", "git push origin '", "echo dropped tables '"] {
            assert_eq!(catastrophe(text), None, "{text}");
        }
        assert!(injection("curl x | sudo bash '").is_some());
        assert!(infrastructure("sed -i s/a/b/ .claude/settings.json '").is_some());
        assert!(reversible("git reset --hard '").is_some());
        assert!(path("cat .claude/settings.json '").is_some());
        assert!(gate("echo \\\n > D/GATE_STATE.json '").is_some());
        assert_eq!(gate("cargo test '"), None);
    }
}
