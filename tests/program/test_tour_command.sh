#!/usr/bin/env bash
# tilescope tour: hand-outs that can be read and printed, whatever stands in the tour, and the
# claims of all installed tours.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

find_python HTML

prefix=(tour)
mkdir box

# ---- a hand-out ----

cat >read_html.py <<'END'
# Reads a hand-out as XML, decodes its pictures, and prints what the test asks for. A second
# argument is the file that the last picture goes to.
import base64, re, struct, sys, xml.etree.ElementTree as xml, zlib

def check_png(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        at += 12 + length
    assert len(zlib.decompress(pixels)) >= width * height

text = open(sys.argv[1], encoding="utf-8").read()
root = xml.fromstring(re.sub(r"<!DOCTYPE html>\s*", "", text))
for e in root.iter():
    assert not e.tag.endswith(("}script", "}link", "}iframe")), e.tag
    for name, value in e.attrib.items():
        assert not name.startswith("on"), name
        if name in ("src", "href"):
            assert value.startswith(("data:image/png;base64,", "#")), value
    if e.tag.endswith("}img"):
        picture = base64.b64decode(e.attrib["src"].split(",")[1], validate=True)
        check_png(picture)
        print("picture", e.attrib["alt"])
        if len(sys.argv) > 2:
            open(sys.argv[2], "wb").write(picture)
for e in root.iter():
    if e.tag.endswith("}section"):
        print("step", e.attrib["id"])
    if e.tag.endswith(("}h1", "}p", "}li", "}pre", "}td")):
        print(e.tag.split("}")[1], "".join(e.itertext()))
END

name="a'b<b>&\"\`x\`.png"
"$program" render banks --variant plain -o "$name" >/dev/null
cat >hostile.tour <<'END'
title <script>alert(1)</script> & "quotes" `ticks` |
m 1 M
caption ]]></pre></body><img src=x onerror=y>\n[link](http://x) {{ms}}
claim {requests:naive@radius=1} > 1: <b>counted</b> & true
claim {requests:naive@radius=1} < 1: wrong & shown
claim {ms:naive@radius=1} < 0: time & not judged
wait
2 l
show bars
caption Again, but as texture
wait
END
run hostile.tour "$name" --report out.html --budget 1e6
expect 'a claim about counts that does not hold exits with 1' is "$status $err" \
    '1 tilescope: 1 claim about counts does not hold'
expect 'the hand-out is well-formed, and its pictures decode' "$python" read_html.py out.html
read=$("$python" read_html.py out.html)
expect 'the title is a text' has "$read" 'h1 <script>alert(1)</script> & "quotes" `ticks` |'
expect 'and so is a caption' has "$read" ']]></pre></body><img src=x onerror=y>[link](http://x) {ms}'
expect 'a true claim' has "$read" 'li ✓<b>counted</b> & true: '
expect 'a false claim' has "$read" 'li ✗wrong & shown: '
expect 'the picture, the lens and the bars are there' is \
    "$(grep -c '^picture' <<<"$read")" '4'
expect 'a picture is shown once' has "$read" 'The picture is that of step 1.'
expect 'two steps' is "$(grep -c '^step' <<<"$read")" '2'
expect 'the kernel is there' has "$read" '__global__ void mean_naive('
expect 'a command measures it again' has "$read" \
    "tilescope bench 'a'\\''b<b>&\"\`x\`.png' --filter mean --variant naive --param radius="
expect 'and another one goes to the step' has "$read" "tilescope view --script 'hostile.tour' --from 2"
expect 'what is printed has the claims, too' is "$(grep -c '[✓✗–]' <<<"$out")" '3'

# Commands work on another machine: names in place of this one's paths, and all that the step shows.
mkdir course
cp -r "$source_dir/kernels" course/
printf 'caption x\nwait\n' >short.tour
run "$PWD/short.tour" "$PWD/$name" --data "$PWD/course" --report moved.html
expect_not 'no path of this machine' has "$(<moved.html)" "$work"
expect 'the folder of kernels is named' has "$("$python" read_html.py moved.html)" "view --script 'short.tour' --from 1 --data 'course'"
run banks --device cpu --budget 1e-9 --report banks.html
expect 'a tour of the program is known by its name' has "$(<banks.html)" 'tilescope view --script banks --from 1'
expect 'the step has all params' \
    has "$(<banks.html)" 'tilescope lens banks --variant plain --param stride=2 --param words=256 --param n=4096'

# What is unrolled and what is not are told apart, and measured again together.
printf 'm 1 u\ncaption {ms:naive@unroll=off} and {ms:naive@unroll=on}\nwait\n' >unroll.tour
run unroll.tour --size 64x48 --report unroll.html --budget 1e6
expect 'a row says how it is unrolled, if that is not shown' has "$(<unroll.html)" 'naive · unroll off'
expect 'the command measures both' has "$(<unroll.html)" ' --unroll both'

# Where the hardware may count otherwise, a line of the drawing says so, and takes no row's place.
printf 'V 4 M\ncaption warp\nshow lens\nwait\n' >lens.tour
run lens.tour --report lens.html --budget 1e-9
"$python" read_html.py lens.html lens.png >/dev/null
read -r shape _ < <("$probe" shape lens.png)
expect 'below the lanes is the line of memory that they read' \
    [ "$("$probe" colours lens.png 600 $((${shape#*x} - 60)) 100 20)" -gt 2 ]

# The map of sectors is a table. Down a column of b, the eight warps of a block store a word each of
# a sector.
printf 'T 2\ncaption map\nshow sharing\nwait\n' >map.tour
run map.tour --report map.html --budget 1e-9
expect 'a step with sharing has its numbers' has "$(tr -d '\n' <map.html)" "$(printf '%s' \
    '<tr><th>requests a sector, in one block</th><th>sectors of a</th><th>sectors of b</th></tr>' \
    '<tr><td>1</td><td>32</td><td></td></tr><tr><td>5 to 8</td><td></td><td>32</td></tr>')"

# What "show" has opened is open until a key closes it, as in the window.
printf '%s\n' 'm 1 M' 'caption a' 'show lens full' wait M 'caption closed' wait >open.tour
run open.tour --report open.html --budget 1e-9
expect 'M closes a lens that has the window' \
    is "$("$python" read_html.py open.html | grep -c '^picture global load')" 1

# Recorded times of a lab are of the recorded card's size, and the table says of which.
printf 'K\ncaption {ms:plain} ms\nwait\n' >size.tour
run size.tour --report size.html
expect 'a table names the size of its times' has "$(tr -d '\n' <size.html)" '<th>ms at n 1048576</th>'

printf 'K\ncaption {ms:plain} ms\nclaim {ms:plain} < 0: never\nwait\n' >time.tour
run time.tour --report time.html --times off
expect 'a claim about time cannot be known without a GPU' is "$status $err$out" \
    '0  1  – never · not known without a GPU'

# As of bench, what a compiler takes is no part of the budget.
mkdir slow
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase $1 in --version | -print-*) ;; *) mkdir %s 2>/dev/null && sleep 11 ;; esac\nexec cc "$@"\n' \
    "'$PWD/slow/begun'" >slow/cc
chmod +x slow/cc
printf 'e 1\ncaption it takes {ms} ms\nwait\n' >slow.tour
CC=$PWD/slow/cc TILESCOPE_CACHE='' run slow.tour --size 8x8 --report slow.html --times off --budget 10
expect 'the compiler was slow' [ -d slow/begun ]
expect 'the budget begins when it is done' is "$(grep -c 'it takes [0-9.]* ms' slow.html)" 1
rm -r slow

run banks --budget 1e-9
expect 'a tour of the program by its name' has "$out" 'all lanes is no conflict: 1 wave'

# ---- what is refused, in one line ----

refuse 2 'tour wants one tour'
refuse 1 "none.tour'" none.tour
refuse 1 "there is no tour 'bnks'; did you mean 'banks'?" bnks
# A folder of one's own: without that lab, then with tours in which that one is not.
mkdir -p own/kernels
cp -r "$source_dir"/kernels/*.h "$source_dir/kernels/filters" own/kernels
refuse 1 "tour 'banks' needs kernels that 'own' lacks: copy them from '" banks --data own
expect 'and from where' has "$err" "/kernels', or leave out --data"
mkdir own/tours
refuse 1 "there is no tour 'banks' in 'own/tours': copy '" banks --data own
expect 'and from where' has "$err" "/06_banks.tour' there, or leave out --data"
refuse 1 "there is no tour 'nonsense'" nonsense --data own
refuse 2 "cannot write 'a.pdf': it ends in none of .html .htm" \
    time.tour --report a.pdf
refuse 1 "cannot write 'none/a.html': " time.tour --report none/a.html
refuse 2 'tour wants a picture or --size WxH, not both' \
    time.tour "$name" --size 9x9
refuse 1 'size 40000x9 is beyond the largest, 32768x32768' \
    time.tour --size 40000x9
printf 'caption fine\nclaim {mss} < 1: x\n' >bad.tour
refuse 1 'bad.tour:2: there is no figure {mss}' bad.tour
[ -e a.pdf ] && fail 'a refused hand-out was written'

# ---- the tours that come with the program ----

# Claims about counts hold on every device. Those about time are printed, not judged.
for tour in "$source_dir"/tours/*.tour; do
    run "$tour" --size 160x120 --budget 0.3
    expect "$(basename "$tour"): claims about counts hold" is "$status $err" '0 '
    printf '%s\n%s\n' "$(basename "$tour")" "$out"
    claimed=$(grep -c '^claim' "$tour")
    expect "$(basename "$tour"): every claim is printed" is "$(grep -cE '^ *[0-9]+  ' out)" "$claimed"
done
finish
