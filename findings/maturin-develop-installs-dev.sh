#!/usr/bin/env bash
# `maturin develop` installs the dependency group `dev` of pyproject.toml (PEP 735) although no --group names it,
# and needs pip 25.1 for that: in an environment with an older pip, it ends with an error after the package has
# been built. One would have guessed that only groups that --group names are installed, as `pip install` does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CARGO_TARGET_DIR="$folder/target"
mkdir -p "$folder/sample/src" && cd "$folder/sample"
cat > Cargo.toml <<'END'
[package]
name = "sample"
version = "0.1.0"
edition = "2021"
END
echo 'fn main() { println!("sample"); }' > src/main.rs
cat > pyproject.toml <<'END'
[build-system]
requires = ["maturin>=1.9,<2"]
build-backend = "maturin"

[project]
name = "sample"
version = "0.1.0"

[dependency-groups]
NAME = ["iniconfig==2.1.0"]

[tool.maturin]
bindings = "bin"
END
cp pyproject.toml template.toml
status=0
# The name of the group, the pip of the environment, and what is expected: the exit status, and whether the group
# was installed.
check() {
    local group=$1 pip=$2 expected=$3 venv="$folder/venv-$1-$2"
    sed "s/^NAME/$group/" template.toml > pyproject.toml
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check "pip==$pip" maturin==1.16.0
    local ended=0 installed=no
    VIRTUAL_ENV="$venv" "$venv/bin/maturin" develop --quiet >log 2>&1 || ended=$?
    "$venv/bin/python" -c 'import iniconfig' 2>/dev/null && installed=yes
    echo "$("$venv/bin/maturin" --version), pip $pip, group $group: exit status $ended, group installed: $installed (guessed: 0, no)"
    grep -m 1 -i 'no such option' log || true
    [ "$ended $installed" = "$expected" ] || { echo "  changed: expected $expected"; cat log; status=1; }
}
check dev 25.3 "0 yes"
check dev 23.2.1 "1 no"
check tests 23.2.1 "0 no"
exit $status
