# What the scripts of the competitors share: a folder that goes away, ways to get what they need, and rounds that become lines of
# figures. A script prints nothing else on standard output but `skipped: RIVAL: why`; what it found goes to standard error.
set -euo pipefail
competitor=$(basename "$0" .sh)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=benches/competitors
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

skip() {
    echo "skipped: $competitor: $1"
    exit 0
}

fail() {
    echo "$competitor: $1" >&2
    exit 1
}

# Runs one of meshpeek's benches.
ours() { cargo bench --quiet --no-default-features --bench "$1" -- "${@:2}"; }

# Installs packages from PyPI for `$python`, which goes away with the folder.
packages() {
    command -v python3 > /dev/null || skip "there is no Python"
    python3 -m venv "$folder/venv" > "$folder/venv.log" 2>&1 ||
        skip "Python makes no virtual environment: $(tail -n 1 "$folder/venv.log")"
    python=$folder/venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check "$@" > "$folder/pip.log" 2>&1 ||
        skip "$* cannot be installed: $(tail -n 1 "$folder/pip.log")"
}

figures() { cargo run --quiet --locked --manifest-path $here/Cargo.toml -- "$@"; }

# Says how large a file is.
size() { stat -c %s "$1" | awk '{ printf $1 < 1e6 ? "%.3g KB" : "%.3g MB", $1 / ($1 < 1e6 ? 1e3 : 1e6) }'; }

# Makes lines of figures: compare ROUNDS THEIRS OURS VERSION FORMAT MESH NOTE QUESTION...; theirs and ours are functions that
# print labels and nanoseconds, src/lines.rs says what a question is.
compare() {
    for _ in $(seq "$1"); do
        echo round
        "$2"
        "$3"
    done > "$folder/rounds"
    figures lines "$competitor" "${@:4}" < "$folder/rounds"
}
