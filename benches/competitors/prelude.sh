# The code that the competitors' scripts share: a temporary folder, functions to install
# dependencies, and the conversion of rounds to lines of figures. Apart from these lines, a script
# prints only `skipped: RIVAL: why` on standard output; its results are printed on standard error.
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

# Runs one of the benches of meshpeek.
ours() { cargo bench --quiet --no-default-features --bench "$1" -- "${@:2}"; }

# Installs packages from PyPI for `$python`, which is removed with the temporary folder.
packages() {
    command -v python3 > /dev/null || skip "Python is not installed"
    python3 -m venv "$folder/venv" > "$folder/venv.log" 2>&1 ||
        skip "Python cannot create a virtual environment: $(tail -n 1 "$folder/venv.log")"
    python=$folder/venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check "$@" > "$folder/pip.log" 2>&1 ||
        skip "$* cannot be installed: $(tail -n 1 "$folder/pip.log")"
}

figures() { cargo run --quiet --locked --manifest-path $here/Cargo.toml -- "$@"; }

# Prints the size of a file.
size() { stat -c %s "$1" | awk '{ printf $1 < 1e6 ? "%.3g KB" : "%.3g MB", $1 / ($1 < 1e6 ? 1e3 : 1e6) }'; }

# Prints lines of figures: compare ROUNDS THEIRS OURS VERSION FORMAT MESH NOTE QUESTION... THEIRS
# and OURS are functions that print labels and nanoseconds. src/lines.rs describes the form of a
# QUESTION.
compare() {
    for _ in $(seq "$1"); do
        echo round
        "$2"
        "$3"
    done > "$folder/rounds"
    figures lines "$competitor" "${@:4}" < "$folder/rounds"
}
