#!/bin/sh
# Make .venv in this folder and install eval_tiers into it, editable, in the pinned versions.
#
#     sh scripts/set_up.sh [core|test|dev]
#
# Does nothing where that is done already. A .venv that was made for another folder (this one was
# copied or renamed) or by a Python that is gone is made again. PYTHON names the interpreter.
set -eu
cd "$(dirname "$0")/.."
level=${1:-core}
python=${PYTHON:-python3}
here=$(pwd -P)

case $level in
    core) extras="" satisfied_by="core test dev" ;;
    test) extras="[test]" satisfied_by="test dev" ;;
    dev) extras="[dev]" satisfied_by="dev" ;;
    *) echo "Error: set up what? core, test or dev, not '$level'" >&2; exit 2 ;;
esac

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

belongs_here() {
    [ -x .venv/bin/python ] && fits .venv/bin/python && [ -f .venv/bin/pip ] || return 1
    if [ -f .venv/made-for ]; then
        [ "$(cat .venv/made-for)" = "$here" ]
    else # made by hand: pip's first lines name its folder
        head -n 3 .venv/bin/pip | grep -qF -e "#!$here/.venv/" -e "\"$here/.venv/" -e " $here/.venv/"
    fi
}

if ! belongs_here; then
    if ! command -v "$python" >/dev/null 2>&1; then
        echo "Error: there is no '$python' here; Python 3.11 or newer is needed." >&2
        echo "  fix:   install it (Debian: apt-get install python3 python3-venv), or name it:" >&2
        echo "         make PYTHON=/path/to/python3.11 ..." >&2
        exit 1
    fi
    if ! fits "$python"; then
        echo "Error: '$python' is $("$python" -V 2>&1); Python 3.11 or newer is needed." >&2
        echo "  fix:   name a newer one: make PYTHON=python3.12 ..." >&2
        exit 1
    fi
    [ ! -e .venv ] || echo "Making .venv again: it was made for another folder or Python."
    rm -rf .venv
    if ! "$python" -m venv .venv; then
        rm -rf .venv
        echo "Error: '$python -m venv' failed." >&2
        echo "  fix:   Debian and Ubuntu: apt-get install python3-venv" >&2
        exit 1
    fi
    printf '%s\n' "$here" >.venv/made-for
fi

wanted=$(cat pyproject.toml constraints.txt | cksum)
for done in $satisfied_by; do
    [ "$(cat ".venv/installed-$done" 2>/dev/null)" != "$wanted" ] || exit 0
done

echo "Installing eval_tiers ($level) into .venv ..."
if ! .venv/bin/python -m pip install -qq --disable-pip-version-check \
    --constraint constraints.txt --editable ".$extras"; then
    echo "Error: pip failed (see above)." >&2
    echo "  fix:   check the network; if a pinned version is not to be had for your Python:" >&2
    echo "         .venv/bin/python -m pip install --editable '.$extras'" >&2
    exit 1
fi
printf '%s\n' "$wanted" >".venv/installed-$level"
