# shellcheck shell=bash
# Sourced by test_run.sh, and by ../../check, which installs it.

# python_with_numpy: prints a Python that has NumPy. The first one on PATH may be another one than
# that which apt installs NumPy for.
python_with_numpy() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' 2>/dev/null && echo "$python" && return
    done
    return 1
}
