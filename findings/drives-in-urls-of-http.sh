#!/usr/bin/env bash
# The crate url (2.5.8, the newest of 2026-11-30) takes a segment of a letter and a colon for a drive in URLs of
# every scheme: of http://h.example/c:/.. it makes http://h.example/c:/. The URL Standard ("shorten a URL's path")
# has that for file URLs only, and Node.js, whose parser follows it too, makes http://h.example/ of it. One would
# have guessed that two parsers of one standard agree, since the path that is asked for decides what may be fetched.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CARGO_TARGET_DIR="$folder/target"
cargo init --quiet --vcs none --name sample "$folder/sample"
cd "$folder/sample"
cargo add --quiet url@=2.5.8
cat > src/main.rs <<'END'
fn main() {
    for text in std::env::args().skip(1) {
        println!("{}", url::Url::parse(&text).unwrap());
    }
}
END
urls=(http://h.example/c:/.. http://h.example/a/c:/../b http://h.example/cc:/.. file:///c:/..)
cargo run --quiet -- "${urls[@]}" > crate
status=0
expected=(http://h.example/c:/ http://h.example/a/c:/b http://h.example/ file:///c:/)
guessed=(http://h.example/ http://h.example/a/b http://h.example/ file:///c:/)
for place in "${!urls[@]}"; do
    found=$(sed -n "$((place + 1))p" crate)
    other=""
    if command -v node >/dev/null; then
        other=", Node.js $(node -p process.version): $(node -p 'new URL(process.argv[1]).href' "${urls[$place]}")"
    fi
    echo "${urls[$place]}: url 2.5.8: $found$other (guessed: ${guessed[$place]})"
    [ "$found" = "${expected[$place]}" ] || { echo "  changed: expected ${expected[$place]}"; status=1; }
done
exit $status
