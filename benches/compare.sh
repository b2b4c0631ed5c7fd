#!/usr/bin/env bash
# Times whole commands against git, or a walk of the same files, on generated repositories: least and median time,
# processor time, ratios.
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

# grow NAME ARCHIVED: a project of 20 modules, half of them launched, with 500 documents, 200 scenarios, a change whose
# code is being written, and ARCHIVED finished changes.
grow() {
    git init -q -b main "$work/$1"
    awk -v archived="$2" '
        function begin(path) { printf "M 100644 inline logos/%s\ndata <<END\n", path }
        function file(path, text) { begin(path); print text; print "END" }
        function change(folder, slug) {
            file(folder "/proposal.md", "# Change: " slug "\n\n> module: m01\n\n## Reason\nPrices change.\n\n## Change Type\ncode-level\n\n" \
                "## Scope\nLanes.\n\n## Summary\nDearer.")
            file(folder "/tasks.md", "# Tasks\n\n## [delta] Spec changes\n- [x] write deltas/test/m01-S001-test-cases.md\n\n" \
                "## [code] Implementation\n- [x] first UT-S001-01\n- [ ] second UT-S001-02")
            file(folder "/deltas/test/m01-S001-test-cases.md", "## ADDED — 1. Lane\n\n| ID | Title |\n|---|---|\n| UT-S001-02 | car |")
            file(folder "/SPEC_MERGED", "")
            file(folder "/SLICES_APPROVED", "")
        }
        BEGIN {
            printf "commit refs/heads/main\ncommitter Ada <ada@example.com> 1767323045 +0000\ndata <<END\nfirst\nEND\n"
            file("logos.config.json", "{\"name\":\"tolls\",\"locale\":\"en\"}")
            file(".openlogos-guard", "{\"activeChange\":\"dearer\",\"module\":\"m01\"}")
            begin("logos-project.yaml"); print "project:\n  name: tolls\nmodules:"
            for (m = 1; m <= 20; m++)
                printf "  - id: m%02d\n    name: Module %d\n    lifecycle: %s\n    product_type: cli\n", m, m, m % 2 ? "launched" : "initial"
            print "scenarios:"
            for (i = 1; i <= 200; i++) printf "  - {id: S%03d, name: Scenario %d, module: m%02d}\n", i, i, i % 20 + 1
            print "END"
            split("prd/1-product-requirements prd/3-technical-plan/2-scenario-implementation api test implementation", folders, " ")
            for (i = 1; i <= 500; i++) {
                begin(sprintf("resources/%s/m%02d-S%03d-test-cases.md", folders[i % 5 + 1], i % 20 + 1, i)); printf "# Document %d\n", i
                for (row = 1; row <= 40; row++) printf "| UT-S%03d-%02d | vehicle %d |\n", i, row, row
                print "END"
            }
            change("changes/dearer", "dearer")
            file("changes/dearer/LOOP_ITERS", "{\"module\":\"m01\",\"result\":\"fail\"}")
            file("resources/verify/test-results.jsonl", "{\"id\":\"UT-S001-01\",\"status\":\"pass\"}\n{\"id\":\"UT-S001-02\",\"status\":\"fail\"}")
            for (i = 1; i <= archived; i++) change(sprintf("changes/archive/20260101-0000-old-%05d", i), "old-" i)
        }' | git -C "$work/$1" fast-import --quiet
    git -C "$work/$1" reset -q --hard
}

# push NAME COMMITS: a branch `many` with so many commits of sources and of notes in ten changes.
push() {
    awk -v commits="$2" '
        function file(path, text) { printf "M 100644 inline %s\ndata <<END\n%s\nEND\n", path, text }
        BEGIN {
            for (i = 0; i < commits; i++) {
                printf "commit refs/heads/many\ncommitter Ada <ada@example.com> %d +0000\ndata <<END\nstep\nEND\n", 1767323046 + i
                if (!i) print "from refs/heads/main"
                file(sprintf("src/f%02d.c", i % 50), "step " i)
                if (i % 2) file(sprintf("logos/changes/dearer/notes/%d/%d.md", i % 10, i), "note " i)
            }
        }' | git -C "$work/$1" fast-import --quiet
}

# branch NAME BRANCHES DOCUMENTS: so many branches, each with a change to one of DOCUMENTS documents and a new section in it.
branch() {
    git init -q -b main "$work/$1"
    awk -v branches="$2" -v documents="$3" '
        function begin(path) { printf "M 100644 inline logos/%s\ndata <<END\n", path }
        function file(path, text) { begin(path); print text; print "END" }
        function table(document, section, edited,    row) {
            print "\n| ID | Title | Expected |\n|----|-------|----------|"
            for (row = 1; row <= 20; row++)
                printf "| UT-S%02d-%03d | vehicle %d | %d |\n", document, section * 20 + row, row, row == edited ? 99 : row
        }
        function commit(ref, from) {
            printf "commit refs/heads/%s\n%scommitter Ada <ada@example.com> 1767323045 +0000\ndata <<END\nstep\nEND\n", ref, from ? "" : "mark :1\n"
            if (from) print "from :1"
        }
        BEGIN {
            commit("main", 0)
            file("logos.config.json", "{\"name\":\"tolls\",\"locale\":\"en\"}")
            file("logos-project.yaml", "modules:\n  - id: core\n    name: Core\n    lifecycle: launched")
            for (i = 0; i < 500; i++) {
                begin(sprintf("resources/test/core-%03d-test-cases.md", i)); print "# Tests"
                for (s = 0; s < 20; s++) { printf "\n## Lane %d\n", s; table(i, s) }
                print "END"
            }
            for (b = 0; b < branches; b++) {
                d = b % documents; s = int(b / documents) % 20
                commit("b" b, 1)
                file(sprintf("changes/c%03d/proposal.md", b), "# c\n\n> module: core")
                begin(sprintf("changes/c%03d/deltas/test/core-%03d-test-cases.md", b, d))
                printf "## MODIFIED — Lane %d\n", s; table(d, s, b % 20 + 1)
                printf "\n## ADDED — New %d\n\n| ID | Title | Expected |\n|---|---|---|\n| UT-S%02d-%d | n | 1 |\nEND\n", b, d, 900 + b % 97
            }
        }' | git -C "$work/$1" fast-import --quiet
    git -C "$work/$1" reset -q --hard
}

# remember NAME COMMITS: a history of edits of 300 tests in 30 documents.
remember() {
    git init -q -b main "$work/$1"
    awk -v commits="$2" '
        function file(path, text) { printf "M 100644 inline logos/%s\ndata <<END\n%s\nEND\n", path, text }
        function document(d,    row, out) {
            out = "# Tests\n\n## Unit cases\n\n| ID | Title | Expected |\n|----|-------|----------|"
            for (row = 1; row <= 10; row++) out = out sprintf("\n| UT-S%02d-%02d | vehicle | %d |", d, row, value[d, row])
            file(sprintf("resources/test/core-S%02d-test-cases.md", d), out)
        }
        BEGIN {
            for (i = 0; i < commits; i++) {
                printf "commit refs/heads/main\ncommitter Ada <ada@example.com> %d +0000\ndata <<END\nstep\nEND\n", 1767323046 + i
                if (!i) {
                    file("logos.config.json", "{\"name\":\"tolls\",\"locale\":\"en\"}")
                    file("logos-project.yaml", "modules:\n  - id: core\n    name: Core\n    lifecycle: launched")
                    for (d = 1; d <= 30; d++) document(d)
                } else { d = i % 30 + 1; value[d, int(i / 30) % 10 + 1] = i; document(d) }
            }
        }' | git -C "$work/$1" fast-import --quiet
    git -C "$work/$1" reset -q --hard
}

# verified NAME DOCUMENTS LINES CASES: DOCUMENTS specifications of 200 cases, a ledger of so many LINES in which every tenth
# result of an earlier run is a failure, and a JUnit report of so many CASES, every tenth with output.
verified() {
    git init -q -b main "$work/$1"
    mkdir -p "$work/$1/logos/resources/test" "$work/$1/logos/resources/verify"
    awk -v root="$work/$1/" -v documents="$2" -v lines="$3" -v cases="$4" '
        function id(i) { return sprintf("UT-S%03d-%03d", i / 200 % documents, i % 200) }
        BEGIN {
            print "{\"name\":\"tolls\",\"locale\":\"en\"}" >(root "logos/logos.config.json")
            print "modules:\n  - id: core\n    name: Core\n    lifecycle: initial" >(root "logos/logos-project.yaml")
            for (d = 0; d < documents; d++) {
                file = sprintf("%slogos/resources/test/core-S%03d-test-cases.md", root, d)
                print "# Tests\n\n| ID | Title |\n|----|-------|" >file
                for (row = 0; row < 200; row++) printf "| %s | vehicle %d |\n", id(d * 200 + row), row >file
                close(file)
            }
            file = root "logos/resources/verify/test-results.jsonl"
            last = lines - documents * 200
            for (i = 0; i < lines; i++)
                printf "{\"id\":\"%s\",\"status\":\"%s\",%s\"duration_ms\":%d,\"timestamp\":\"2026-01-02T%02d:%02d:%02d.%03dZ\"}\n", id(i),
                    i < last && i % 10 == 0 ? "fail" : "pass",
                    i < last && i % 10 == 0 ? "\"error\":\"assertion `left == right` failed: the toll of lane 7\"," : "",
                    i % 977, i / 50000, i / 1000 % 50, i / 17 % 60, i % 1000 >file
            file = root "junit.xml"
            print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>" >file
            for (i = 0; i < cases; i++) {
                if (i % 200 == 0)
                    printf "%s<testsuite name=\"lane %d\" tests=\"200\">\n", i ? "</testsuite>\n" : "", i / 200 >file
                printf "<testcase classname=\"tolls.lane%d\" name=\"%s takes the toll of vehicle %d\" time=\"0.%03d\"", i / 200, id(i), i,
                    i % 977 >file
                print i % 10 ? "/>" : "><system-out>opened, paid &amp; closed\nopened, paid &amp; closed</system-out></testcase>" >file
            }
            print "</testsuite>\n</testsuites>" >file
        }'
}

# stand NAME DECISIONS: a project with a STATE.md of so many decisions.
stand() {
    git init -q -b main "$work/$1"
    mkdir "$work/$1/.planning"
    awk -v decisions="$2" 'BEGIN {
        print "---\nmilestone: v2.0\nmilestone_name: Code Quality\nstatus: executing\nactive_phase: \"4.5\"\nprogress:"
        print "  total_phases: 17\n  completed_phases: 10\n  percent: 59\n---\n\n# Project State\n\n## Current Position\n"
        print "Phase: 4 of 17 (Observability)\nStatus: Executing Phase 4\n\n### Decisions\n"
        for (i = 1; i <= decisions; i++) printf "- [Phase %d]: lane %d takes coins — drivers asked for it\n", i % 17, i
    }' >"$work/$1/.planning/STATE.md"
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

# compare NAME FOLDER ARGUMENTS... -- COMMAND...: one line for each, and the ratio of processor times.
compare() {
    local name=$1 folder=$2 ours=()
    shift 2
    while [[ $1 != -- ]]; do ours+=("$1"); shift; done
    shift
    measure "$folder" "$@"
    local reference=$cpu
    line "\`${*//"$work"\//}\`" "$least" "$median" "$cpu" ''
    measure "$folder" "$program" "${ours[@]}"
    line "$name" "$least" "$median" "$cpu" "$(awk -v a="$cpu" -v b="$reference" 'BEGIN { printf "%.2f", a / (b ? b : 1) }')"
}

generate small 1 1 1 10 0
stand standing 60
stand chronicle 80000
generate large 500 200 4 45 0
generate long 1 1 100 215 0
generate staged 500 20 4 45 0
generate pushed 500 20 4 45 0
push pushed 1000
(cd "$work/staged" && "$program" merge dearer --no-commit >/dev/null 2>&1 && git add -A)
for documents in 20 1; do branch "branches-$documents" 200 "$documents"; done
remember remembered 5000
generate wide 1 1 1 10 100000
"$program" demo "$work/demo" >/dev/null
verified verified 100 1000000 2000000
grow grown-0 0
grow grown-2000 2000
grow grown-20000 20000
git -C "$work/long" show HEAD:logos/resources/test/core-001-test-cases.md >"$work/base"
sed '0,/| 1 |$/s//| 7 |/' "$work/base" >"$work/theirs"

printf '%s, %s, %s processors, %s runs each\n\n' "$("$program" --version)" "$(git --version)" "$(getconf _NPROCESSORS_ONLN)" "$runs"
printf '| command | least ms | median ms | processor ms | ratio |\n|---|---|---|---|---|\n'
compare 'start: `--version`' small --version -- git --version
compare 'start: `statusline`' standing statusline -- git --version
compare '`statusline` beside `--version`' standing statusline -- "$program" --version
compare 'start: `state json`' standing state json --format json -- git --version
compare '`state json` beside `--version`' standing state json --format json -- "$program" --version
compare '`state json`, 5 MB' chronicle state json --format json -- wc -l .planning/STATE.md
set_status() { "$program" state update Status "lane $EPOCHREALTIME" --format json; }
for where in standing chronicle; do
    measure "$where" set_status
    line "\`state update\`, $([[ $where == standing ]] && echo 5 KB || echo 5 MB)" "$least" "$median" "$cpu" ''
done
compare '`change-lint`, 1 document, 1 delta' small change-lint --slug dearer --format json -- git status --porcelain
compare '`change-lint`, 500 documents, 200 deltas' large change-lint --slug dearer --format json -- git status --porcelain
compare '`merge --dry-run`, 1 MB document' long merge dearer --dry-run -- git merge-file -p "$work/base" "$work/base" "$work/theirs"
compare '`impact`, 10,000 of 100,000 files' wide impact --base HEAD~1 --head HEAD --format json -- git diff --no-relative --name-status -z HEAD~1 HEAD
compare '`hook pre-commit`, 20 of 500 documents merged' staged hook pre-commit -- git diff --cached --name-status
compare '`check`, 1,000 commits' pushed check main..many --format json -- git log --format=%H --name-status main..many
for documents in 20 1; do
    compare "\`radar\`, 200 branches, $documents documents" "branches-$documents" radar --format json -- git log --format=%H --name-status --branches
done
compare '`log`, 5,000 commits, cache' remembered log UT-S07-03 --format json -- git log --oneline -S 'UT-S07-03 ' -- logos/resources
git clone -q --bare "$work/pushed" "$work/server"
many=$(git -C "$work/server" rev-parse many)
git -C "$work/server" update-ref -d refs/heads/many
zeros=${many//?/0}
receive() { echo "$zeros $many refs/heads/many" | "$program" hook pre-receive; }
measure server receive
line '`hook pre-receive`, 1,000 commits' "$least" "$median" "$cpu" ''
cold() { rm -rf .git/spec/cache; "$program" log UT-S07-03 --format json; }
measure remembered cold
line '`log`, 5,000 commits, no cache' "$least" "$median" "$cpu" ''
walk=(find logos -path logos/changes/archive -prune -o -type f -print)
for command in status next; do
    compare "\`$command\`, the demo project" demo/tolls "$command" --format json -- find logos -type f
    for archived in 0 2000 20000; do
        compare "\`$command\`, 500 documents, 20 modules, $archived archived" "grown-$archived" "$command" --format json -- "${walk[@]}"
    done
done
compare '`verify`, 20,000 cases, 1,000,000 results' verified verify --format json -- wc -l logos/resources/verify/test-results.jsonl
compare '`import`, 2,000,000 tests' verified import --from junit --out imported.jsonl junit.xml -- wc -l junit.xml
