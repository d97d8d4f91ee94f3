# Sourced by the scripts beside it: sets up whatever is missing in a clone. Silent and quick once it is done.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

# The newest Python among the usual names that is at least 3.11.
find_python() {
    local name
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    fail "Python 3.11 or newer is needed and none was found. Install one, or name it: PYTHON=/path/to/python3 $0"
}

# What pycairo and ManimPango are built with, and what a virtual environment needs, by Debian's package names.
missing_packages() {
    local python=$1 own_python
    own_python="python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    command -v cc >/dev/null || echo gcc
    command -v c++ >/dev/null || echo g++
    command -v pkg-config >/dev/null || echo pkg-config
    pkg-config --exists cairo 2>/dev/null || echo libcairo2-dev
    pkg-config --exists pangocairo pangoft2 2>/dev/null || echo libpango1.0-dev
    "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
        echo "$own_python-dev"
    "$python" -c 'import ensurepip, venv' 2>/dev/null || echo "$own_python-venv"
}

# What tests open decks and pages with. Elsewhere than on Debian the tests say what they miss.
missing_viewers() {
    command -v apt-get >/dev/null || return 0
    command -v chromium >/dev/null || echo chromium
    command -v soffice >/dev/null || echo libreoffice-impress
}

install_packages() {
    local as_root=""
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    if [ "$(uname -s)" = Darwin ]; then
        command -v brew >/dev/null || fail "cairo, pango and pkg-config are missing, and there is no Homebrew to install them." \
            "Install Homebrew, then run: brew install cairo pango pkg-config"
        brew install cairo pango pkg-config || fail "Run this, then try again: brew install cairo pango pkg-config"
        return
    fi
    if ! command -v apt-get >/dev/null || ! $as_root true 2>/dev/null; then
        fail "These system packages are missing and cannot be installed from here: $*" \
            "On Debian or Ubuntu run this, then try again: sudo apt-get update && sudo apt-get install -y $*" \
            "Elsewhere, install what those packages are called there."
    fi
    echo "Installing system packages: $*"
    { $as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq "$@"; } >/dev/null ||
        fail "Installing failed. Run this, then try again: sudo apt-get update && sudo apt-get install -y $*"
}

# set_up REQUIREMENTS: make .venv hold what that file asks for. A stamp in .venv remembers what was installed.
set_up() {
    local requirements=$1 stamp=.venv/clockhands-$1 wanted python missing
    wanted=$(cat requirements.txt "$requirements" pyproject.toml | cksum)
    [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
    python=$(find_python) || exit 1
    missing=$(missing_packages "$python")
    # shellcheck disable=SC2086  # one word a package
    [ -z "$missing" ] || install_packages $missing
    [ -x .venv/bin/python ] || "$python" -m venv .venv || fail "Could not make .venv with $python; remove .venv and try again."
    echo "Installing $requirements into .venv (some minutes the first time)"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$requirements" ||
        fail "pip could not install $requirements; its message above says why."
    echo "$wanted" >"$stamp"
}
