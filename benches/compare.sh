#!/usr/bin/env bash
# Times whole commands against git on generated repositories: least and median time, processor time, ratios.
#
#   benches/compare.sh [path/to/git-spec]        (default: target/release/git-spec)
#   RUNS=50 benches/compare.sh                   more runs of each command (default 20)
set -euo pipefail
export LC_ALL=C TZ=UTC

program=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../target/release/git-spec}")
[[ -x $program ]] || { echo "compare.sh: \`$program\` is not there: cargo build --release" >&2; exit 1; }
runs=${RUNS:-20}

work=$(mktemp -d)
[[ -n ${KEEP:-} ]] || trap 'rm -rf "$work"' EXIT
mkdir "$work/home"
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com
export GIT_AUTHOR_DATE='1767323045 +0000' GIT_COMMITTER_DATE='1767323045 +0000'

# generate NAME DOCUMENTS DELTAS SECTIONS ROWS FILES: a repository whose history is one stream for git fast-import:
# the documents and FILES source files, then a change with its deltas, then every tenth source file edited.
generate() {
    git init -q -b main "$work/$1"
    awk -v documents="$2" -v deltas="$3" -v sections="$4" -v rows="$5" -v files="$6" '
        function commit(message) {
            printf "commit refs/heads/main\ncommitter Ada <ada@example.com> 1767323045 +0000\ndata <<END\n%s\nEND\n", message
        }
        function begin(path) { printf "M 100644 inline %s\ndata <<END\n", path }
        function table(document, section, first,    row) {
            printf "\n| ID | Title | Expected |\n|----|-------|----------|\n"
            for (row = 1; row <= rows; row++)
                printf "| UT-S%03d-%05d | vehicle %d of lane %d | %d |\n", document, section * 1000 + row, row, section,
                    row == 1 ? first : row
        }
        function source(i, word) { begin(sprintf("src/d%03d/f%03d.c", i / 1000, i % 1000)); printf "%s %d\nEND\n", word, i }
        BEGIN {
            commit("first")
            begin("logos/logos.config.json"); print "{\"name\":\"tolls\",\"locale\":\"en\"}\nEND"
            begin("logos/logos-project.yaml")
            print "project:\n  name: tolls\nmodules:\n  - id: core\n    name: Core\n    lifecycle: launched\nEND"
            for (i = 1; i <= documents; i++) {
                begin(sprintf("logos/resources/test/core-%03d-test-cases.md", i)); printf "# Toll tests %d\n", i
                for (s = 1; s <= sections; s++) { printf "\n## %d. Lane\n", s; table(i, s, 1) }
                print "END"
            }
            for (i = 0; i < files; i++) source(i, "first")
            commit("propose")
            begin("logos/changes/dearer/proposal.md")
            print "# Change: dearer\n\n> module: core\n\n## Why\nPrices change.\nEND"
            begin("logos/changes/dearer/tasks.md"); print "# Tasks\n\n## [delta] Spec changes"
            for (i = 1; i <= deltas; i++) printf "- [x] write deltas/test/core-%03d-test-cases.md\n", i
            print "\n## [code] Implementation\n- [ ] Implement code changes\nEND"
            for (i = 1; i <= deltas; i++) {
                begin(sprintf("logos/changes/dearer/deltas/test/core-%03d-test-cases.md", i))
                print "## MODIFIED — 1. Lane"; table(i, 1, 7); print "END"
            }
            if (files) { commit("second"); for (i = 0; i < files; i += 10) source(i, "second") }
        }' | git -C "$work/$1" fast-import --quiet
    git -C "$work/$1" reset -q --hard
}

# measure FOLDER COMMAND...: sets least, median (wall) and cpu (user and system), in microseconds.
measure() {
    local folder=$work/$1 code=0 start i TIMEFORMAT='%3U %3S'
    shift
    cd "$folder"
    "$@" >/dev/null 2>"$work/said" || code=$?
    if ((code != 0 && code != 2)); then
        echo "compare.sh: \`$*\` failed ($code): $(<"$work/said")" >&2
        exit 1
    fi
    : >"$work/times"
    {
        time for ((i = 0; i < runs; i++)); do
            start=${EPOCHREALTIME/./}
            "$@" >/dev/null 2>&1 || true
            echo $((${EPOCHREALTIME/./} - start)) >>"$work/times"
        done
    } 2>"$work/cpu"
    cd "$work"
    least=$(sort -n times | head -n 1)
    median=$(sort -n times | sed -n "$(((runs + 1) / 2))p")
    cpu=$(awk -v runs="$runs" '{ printf "%d", ($1 + $2) * 1000000 / runs }' cpu)
}

line() { awk -v n="$1" -v l="$2" -v m="$3" -v c="$4" -v r="$5" 'BEGIN { printf "| %s | %.1f | %.1f | %.1f | %s |\n", n, l / 1000, m / 1000, c / 1000, r }'; }

# compare NAME FOLDER ARGUMENTS... -- GIT ARGUMENTS...: one line for each, and the ratio of processor times.
compare() {
    local name=$1 folder=$2 ours=()
    shift 2
    while [[ $1 != -- ]]; do ours+=("$1"); shift; done
    shift
    measure "$folder" git "$@"
    local reference=$cpu
    line "\`git ${*//"$work"\//}\`" "$least" "$median" "$cpu" ''
    measure "$folder" "$program" "${ours[@]}"
    line "$name" "$least" "$median" "$cpu" "$(awk -v a="$cpu" -v b="$reference" 'BEGIN { printf "%.2f", a / (b ? b : 1) }')"
}

generate small 1 1 1 10 0
generate large 500 200 4 45 0
generate long 1 1 100 215 0
generate wide 1 1 1 10 100000
git -C "$work/long" show HEAD:logos/resources/test/core-001-test-cases.md >"$work/base"
sed '0,/| 1 |$/s//| 7 |/' "$work/base" >"$work/theirs"

printf '%s, %s, %s processors, %s runs each\n\n' "$("$program" --version)" "$(git --version)" "$(getconf _NPROCESSORS_ONLN)" "$runs"
printf '| command | least ms | median ms | processor ms | ratio |\n|---|---|---|---|---|\n'
compare 'start: `--version`' small --version -- --version
compare '`change-lint`, 1 document, 1 delta' small change-lint --slug dearer --format json -- status --porcelain
compare '`change-lint`, 500 documents, 200 deltas' large change-lint --slug dearer --format json -- status --porcelain
compare '`merge --dry-run`, 1 MB document' long merge dearer --dry-run -- merge-file -p "$work/base" "$work/base" "$work/theirs"
compare '`impact`, 10,000 of 100,000 files' wide impact --base HEAD~1 --head HEAD --format json -- diff --no-relative --name-status -z HEAD~1 HEAD
