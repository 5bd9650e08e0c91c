#!/usr/bin/env bash
# Plays the tours of the course on a device and prints what came of each claim, as docs/claims.md.
#
#     tools/claims.sh PROGRAM [OPTION…] >docs/claims.md
#     tools/claims.sh build/release/tilescope --size 8000x8000 >docs/claims.md
#
# The options are those of `tilescope tour`. With HANDOUTS=DIR, the hand-outs are written there.
set -uo pipefail

program=$1
shift
tours=$(dirname "$0")/../tours
device=$("$program" devices | sed -n '1s/^[^ ]* *//p')

# Paragraphs and list items of lines that are not too long.
wrap() {
    while IFS= read -r line; do fmt -w 96 -t <<<"$line"; done |
        sed 's/^ \{1,\}/  /; s/^  >/  \\>/'
}

cat <<END
# The claims of the course, as one machine finds them

Each claim is a line of a tour in \`tours/\`, and [tours.md](tours.md) says what it means. The
number is the tour's step. ✓ holds, ✗ does not, ≈ is equal within the spread, … is not known, and –
cannot be known on that machine.

| | |
|---|---|
| machine | $device |
| date | $(LC_ALL=C date '+%-d %B %Y') |
| command | \`tools/claims.sh PROGRAM${*:+ $*}\` |
END
for tour in "$tours"/[0-9]*.tour; do
    name=$(basename "$tour" .tour)
    report=()
    [ -n "${HANDOUTS:-}" ] && report=(--report "$HANDOUTS/$name.html")
    printf '\n## %s\n\n`%s`\n\n' "$(sed -n 's/^title //p' "$tour")" "$name"
    claims=$("$program" tour "$tour" "$@" "${report[@]}" | sed -E 's/^ *([0-9]+)  /- \1 /' | wrap)
    printf '%s\n' "${claims:-It makes no claim.}"
done
