#!/usr/bin/env bash
# The commands from outside: what they print and write, how they exit, and every bad input.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

mkdir box
printf 'precious' >box/old.png

# As the owner of a file, whom its mode binds: root has no more rights than that here.
obedient=$program
if [ "$(id -u)" = 0 ]; then
    obedient=$work/obedient
    printf '#!/bin/sh\nexec setpriv --inh-caps=-all --bounding-set=-dac_override,-dac_read_search %q "$@"\n' \
        "$program" >"$obedient"
    chmod +x "$obedient"
fi

# ---- help ----

for words in --help -h help 'view --help' 'view -h' 'render --help' 'list --help' 'devices --help' \
    --version; do
    # shellcheck disable=SC2086
    run $words
    expect "$words exits with 0" is $status 0
    expect "$words says nothing on stderr" is "$err" ''
    expect "$words says something on stdout" [ -n "$out" ]
    expect "$words: no line is longer than 100 columns" is "$(awk 'length > 100' <"$work/out")" ''
done
run --help
help_text=$out
for word in '[view]' render list devices; do
    expect "--help names $word" has "$out" "tilescope $word"
done
columns=$(sed -n '/^  tilescope /{s/…/./g; s/^  //p}' <<<"$help_text" |
    awk '{match($0, /[^ ]  +[^ ]/); print RSTART + RLENGTH}' | sort -u)
expect '--help begins what it says of each command in one column' is "$columns" '[0-9]*'
expect '--help says that render wants to know where to' has "$help_text" 'render [NAME] [IMAGE] -o OUT '
for word in PgUp unroll vsync screenshot Esc; do expect "--help lists keys" has "$out" "$word"; done
for filter in 'm  *Mean filter' 'e  *Invert filter'; do expect "--help lists a filter's key" is "$out" ".*  $filter"$'\n.*'; done
run view --help
expect "view --help lists the keys" has "$out" "$(sed -n '/^Keys in the window:/,$p' <<<"$help_text" |
    sed 1d)"
if [ -e "$source_dir/README.md" ]; then  # test_input has docs/keys.md
    commands_in() { sed -n '/^ *tilescope /p' | tr -s ' ' | sed 's/^ //' | sort; }
    expect 'README.md and --help say the same of each command' diff \
        <(sed -n '/^tilescope \[view/,/^```/p' "$source_dir/README.md" | commands_in) \
        <(sed '/^Keys/,$d; /^tilescope COMMAND/d' <<<"$help_text" | commands_in)
fi

# ---- list ----

works list
list_text=$out
works list --format json
json=$(tr -d '\n\t' <"$work/out")
of_filters=$(tr -d '\n\t' <"$work/out" | sed 's/{"name":"[a-z0-9_]*","title"/\n&/g')  # a line each
wanted_filters=''
for file in $(cd "$source_dir" && printf '%s\n' kernels/*/*.cu | sort -t/ -k3); do
    file=$source_dir/$file
    filter=$(basename "$file" .cu)
    title=$(sed -nE 's,^//! (filter|lab) "([^"]*)".*,\2,p' "$file")
    wanted_filters+="$filter $title;"
    found=$(grep -F "{\"name\":\"$filter\",\"title\"" <<<"$of_filters" |
        grep -o '"name":"[a-z0-9_]*","block":\[[0-9]*, [0-9]*\]' | cut -d'"' -f4)
    expect "list --format json has the variants of $filter" is "$(uniq <<<"$found")" \
        "$(variants_of "$file" | uniq; libraries_of "$file")"
    for variant in $(variants_of "$file") $(libraries_of "$file"); do
        expect "list names $filter $variant" has "$list_text" " $variant "
    done
done
found=$(grep -o '"name":"[a-z0-9_]*","title":"[^"]*"' <<<"$json" |
    sed -E 's/"name":"(.*)","title":"(.*)"/\1 \2;/' | tr -d '\n')
expect 'list --format json has every filter' is "$found" "$wanted_filters"
expect 'json: the whole' is "$json" '\{"filters":\[.*\]\}'
expect 'json: a param' grep -qE \
    '"params":\[\{"name":"radius",("type":"int",)?"default":3,"min":0,"max":64,"help":"[^"]+"\}\]' \
    <<<"$json"
expect 'json: a param with names' grep -qF \
    '"params":[{"name":"axis","type":"name","default":"x","names":["x", "y", "both"],' <<<"$json"
expect 'list says what a param is without a GPU' has "$list_text" \
    'n=1048576 (without a GPU 8192)  ['
expect 'json: a param that is another one without a GPU' \
    grep -qF '"default":1048576,"default_without_gpu":8192,' <<<"$json"
expect 'list names what prepares' has "$list_text" 'words_rgb24  32×8 prepare=pack'
expect 'json: nothing prepares' grep -qE '"name":"vector",[^}]*"prepare":"","finish":""' <<<"$json"
expect 'json: what prepares' \
    grep -qE '"name":"words_rgb24",[^}]*"prepare":"pack","finish":"unpack"' <<<"$json"
expect 'json: a variant' grep -qF '{"name":"naive","block":[32, 8],' <<<"$json"

# ---- devices ----

works devices
expect 'devices lists the cpu' grep -q '^cpu ' "$work/out"
expect 'devices says what is taken' grep -qE '^taken +device (cpu|cuda:[0-9]+), path none$' "$work/out"
if ! grep -q '^cuda:' "$work/out"; then
    expect 'devices says what runs the kernels' \
        grep -qxE -- '- +No NVIDIA GPU: kernels run on the CPU\.' "$work/out"
    expect 'devices says once what a GPU needs' is "$(grep -c ' cuda: ' "$work/out")" 1
fi
for file in "$source_dir"/assets/runs/*.gz; do
    [ -e "$file" ] || continue  # the program comes without times
    name=${file##*/}
    device_name=$(zcat "$file" | grep -oP '"device":\{"name":"\K[^"]*')
    expect 'devices names the recorded times' grep -qE \
        "^times    ${name%%.*}  $device_name, recorded [0-9]+ [A-Z][a-z]+ [0-9]+$" "$work/out"
done
expect 'devices says why there is no window' grep -qE '^window .*no display' "$work/out"
run devices --format json
json=$(tr -d '\n\t' <"$work/out")
expect 'devices --format json exits with 0' is $status 0
for key in devices missing device path reasons window times; do
    expect "devices json has $key" has "$json" "\"$key\":"
done
if grep -q '"device":"cpu"' <<<"$json"; then
    expect 'devices: the cpu was taken, and why' grep -qE '"reasons":\["cuda: .+"\]' <<<"$json"
fi
mkdir -m 0777 shared_cache
TILESCOPE_CACHE=$PWD/shared_cache run devices --device cpu
expect 'devices says why the cache is off' grep -qxF \
    "cache    compiled kernels are not kept: others may write to '$PWD/shared_cache'" "$work/out"
rmdir shared_cache
run devices --device cpu
expect 'devices says where compiled kernels are kept' grep -qxF "cache    $TILESCOPE_CACHE" "$work/out"
expect 'devices --device cpu' grep -qE '^taken +device cpu' "$work/out"

# ---- render ----

"$probe" noise colour.png 67 45 rgb 1
"$probe" noise grey.png 41 23 grey 2
"$probe" noise alpha.png 19 31 rgba 3
"$probe" noise greya.png 31 19 greya 4
"$probe" noise one.png 1 1 rgb 5
"$probe" noise 'kleine Bildchen ☃ %s.png' 3 2 rgb 6

# render_is SHAPE WANTED ARGUMENTS…: writes that picture, and says so in a line on stdout.
render_is() {
    local shape=$1 wanted=$2
    shift 2
    rm -f out.png
    run render -o out.png "$@"
    expect "render $* exits with 0 ($err)" is $status 0
    [ -e out.png ] || return
    expect "render $* says nothing on stderr" is "$err" ''
    expect "render $* names its output" is "$out" 'out.png: [^
]*'
    expect "render $*: shape" is "$("$probe" shape out.png)" "$shape"
    expect "render $*: pixels" same out.png "$wanted"
}

# test_kernels has every variant at every size: here it only has to be the one that is named.
for radius in 0 3 20; do
    "$probe" mean colour.png mean.png $radius
    "$probe" mean grey.png mean_grey.png $radius
    render_is '67x45 rgb' mean.png colour.png --variant shared --radius $radius
    render_is '41x23 grey' mean_grey.png grey.png --variant naive --radius $radius --device cpu
done
for variant in $(variants_of "$source_dir/kernels/filters/mean.cu"); do
    render_is '41x23 grey' mean_grey.png grey.png --variant "$variant" --radius 20
    expect "render --variant $variant" is "$(chunk out.png variant)" "$variant"
done
render_is '41x23 grey' mean_grey.png grey.png --radius 20 --block 7x5 --unroll --param radius=20
"$probe" invert alpha.png invert.png
render_is '19x31 rgb' invert.png alpha.png --filter invert
"$probe" invert greya.png invert.png
render_is '31x19 grey' invert.png greya.png --filter invert --variant vector
render_is '1x1 rgb' one.png one.png --radius 64 --variant shared
"$probe" mean 'kleine Bildchen ☃ %s.png' mean.png 3
render_is '3x2 rgb' mean.png 'kleine Bildchen ☃ %s.png'
run render colour.png -o vector.png --filter flip --variant vector --param axis=both
for variant in naive naive_rgb24 words_rgb24; do
    render_is '67x45 rgb' vector.png colour.png --filter flip --variant "$variant" --param axis=both
done
render_is '1x1 rgb' one.png one.png --filter flip --variant words_rgb24
run render colour.png --gray -o out.png --filter invert
expect 'render --gray writes a grey picture' is "$("$probe" shape out.png)" '67x45 grey'

run render colour.png -o out.png --variant shared --radius 5 --block 16x16 --unroll --device cpu
has_chunks out.png filter=mean variant=shared radius=5 block=16x16 unroll=on
expect 'text chunk Software' is "$(chunk out.png Software)" 'Tilescope [0-9.]+'
expect 'text chunk device' [ -n "$(chunk out.png device)" ]

# ---- comparison sheets ----

works render --sheet --budget 1e6 colour.png -o sheet.png --radius 5 --device cpu
expect 'render --sheet says nothing on stderr' is "$err" ''
all=$(variants_of "$source_dir/kernels/filters/mean.cu" | uniq | wc -l)
expect 'render --sheet names its output' is "$out" "sheet.png: $all of $((all + 1)) variants of mean on .*"
expect 'a library has its reason' is "$(chunk sheet.png 'result npp')" \
    'refused: npp needs a CUDA GPU and libnppif'
expect 'a sheet is as wide as a slide' is "$("$probe" shape sheet.png)" '1920x[0-9]{3,4} rgb'
has_chunks sheet.png filter=mean radius=5 sheet=yes picture=colour.png size=67x45
for variant in $(variants_of "$source_dir/kernels/filters/mean.cu"); do
    expect "sheet: the result of $variant" is "$(chunk sheet.png "result $variant")" \
        '[0-9.]+ ms on this CPU \([0-9.]+–[0-9.]+\), [0-9.]+ sectors( · [0-9.]+ conflicts)? per pixel, exact'
done
expect 'sheet: a slide is white' is "$("$probe" pixel sheet.png 5 5)" '255 255 255'
# The picture's own cell is the first, enlarged by whole pixels: its colours are on the page.
expect 'sheet: there is something to see' [ "$("$probe" colours sheet.png 56 152 1808 100)" -gt 500 ]
run render --sheet colour.png -o late.png --budget 1e-9 --device cpu
expect 'a sheet within no time has no variant' is "$status $err" \
    '1 tilescope: no variant can be shown: not reached within the budget'
run render --sheet --budget 1e6 colour.png -o two.png --variant texture,naive --device cpu
expect "a sheet of a list ($err)" is "$out" 'two.png: 2 of 2 variants of mean on .*'
expect 'a sheet of a list has only that list' is "$(chunk two.png 'result shared')" ''
run render --sheet --budget 1e6 grey.png -o sheet.png --filter flip --device cpu
expect "a refused variant does not break a sheet ($err)" is "$status $out" \
    '0 sheet.png: [1-9] of [1-9] variants of flip on .*'
expect 'it has its reason instead' has "$(chunk sheet.png 'result naive_rgb24')" \
    'refused: flip naive_rgb24 works on colour pictures'
expect 'and the others their times' has "$(chunk sheet.png 'result naive')" ', exact'
works render --sheet --budget 1e6 one.png -o sheet.png --unroll --block 64x1 --device cpu
# data NAME FILE SED: a data folder in which that kernel file was edited.
data() {
    mkdir -p "$1/kernels"
    cp -r "$source_dir"/kernels/* "$1/kernels/"
    sed -i -E "$3" "$1/kernels/$2.cu"
}
data wrong filters/invert 's/255 - in/254 - in/'
run render --sheet --budget 1e6 colour.png -o sheet.png --filter invert --data wrong --device cpu
expect "a sheet with wrong results exits with 1 ($err)" is "$status $err" \
    '1 tilescope: [1-9] results? differs? from the reference'
expect 'and shows them' has "$(chunk sheet.png 'result naive')" 'max |diff| = '

# Nothing checks a file without a reference.
data plain filters/invert '/^\/\/! reference out/d'
run list --data plain
expect 'list says what checks a file without a reference' is \
    "$(sed -n '/^invert/,/^$/p' <<<"$out" | grep reference)" \
    '  no reference: results are not checked'
expect 'and only that' is "$(grep -c reference <<<"$out")" 1
run list --data plain --format json
for pair in invert= mean=reference; do
    expect "list --format json says what checks ${pair%=*}" has "$(tr -d '\n\t' <"$work/out" |
        sed "s/.*\"name\":\"${pair%=*}\"//")" "\"checked_against\":\"${pair#*=}\""
done
works render --sheet --budget 1e6 colour.png -o sheet.png --filter invert --data plain --device cpu
for variant in naive vector; do
    expect "says that $variant is not checked" has "$(chunk sheet.png "result $variant")" ', not checked'
done

# But where its fast code gives something else than threads one by one, they are right: here a
# thread finds what the one before it has written.
printf '%s\n' '//! lab "Racy"' '#include "lab.h"' '//! array y out [32] shown 0, 7' \
    '//! variant naive 32x1' '__global__ void racy_naive(int *y) { __shared__ int row[32];' \
    'row[threadIdx.x] = 0; __syncthreads();' \
    'row[threadIdx.x] = 7; y[threadIdx.x] = row[threadIdx.x ^ 1]; }' >racy.cu
works render racy.cu -o racy.png --device cpu
expect 'render says that fast code is not right' is "$err" \
    'racy naive: fast code and threads one by one give different values: a race \(see the lens\), or our fault'
expect 'and shows what threads give' is \
    "$(for i in 0 1 2 3; do "$probe" pixel racy.png $i 0; done | cut -d ' ' -f 1)" $'0\n255\n0\n255'

# ---- labs ----

shape=(--param rows=60 --param columns=91 --device cpu)
run render transpose -o lab.png "${shape[@]}" --variant padded
expect "render LAB names what it ran ($err)" is "$out" 'lab.png: transpose padded, 60×91, .*'
expect 'its picture has the shape of what is written' is "$("$probe" shape lab.png)" '60x91 grey'
has_chunks lab.png filter=transpose variant=padded array=b size=60x91 rows=60
expect 'lab: there is no picture to name' is "$(chunk lab.png picture)" ''
run render transpose -o read.png "${shape[@]}" --variant write_columns
expect 'every variant makes the same picture' same lab.png read.png
run render transpose -o input.png "${shape[@]}" --variant padded --array a
expect "render --array shows another array ($err)" is "$("$probe" shape input.png)" '91x60 grey'
expect 'which is the first column where that was the first row' is \
    "$(for i in 0 7 59; do "$probe" pixel input.png 3 $i; done)" \
    "$(for i in 0 7 59; do "$probe" pixel lab.png $i 3; done)"
run render --restore input.png -o again.png --device cpu
expect "a lab's picture restores without a picture ($err)" same input.png again.png
expect 'with its array' is "$(chunk again.png array)" a

run render sliding -o lab.png --param n=5000 --device cpu
expect "a lab's picture has the colours of its map ($err)" is "$("$probe" shape lab.png)" '128x40 rgb'
expect 'and names their scale' is "$(chunk lab.png shown)" '−328 … 328 signed'

run render transpose --sheet --budget 1e6 -o sheet.png "${shape[@]}" --unroll
expect "render LAB --sheet exits with 0 ($err)" is "$status $err" '0 '
all=$(variants_of "$source_dir/kernels/labs/transpose.cu" | uniq | wc -l)
expect 'it has all variants' is "$out" "sheet.png: $all of $((all + 1)) variants of transpose on .*"
for variant in $(variants_of "$source_dir/kernels/labs/transpose.cu"); do
    expect "lab's sheet: the result of $variant" is "$(chunk sheet.png "result $variant")" \
        '[0-9.]+ ms on this CPU \([0-9.]+–[0-9.]+\), [0-9.]+ sectors( · [0-9.]+ conflicts)? per element, exact'
done
works render transpose --sheet --budget 1e6 -o library.png "${shape[@]}" --variant cublas,shared
expect 'does not say that it has a block' is "$(chunk library.png block)" ''
expect 'but another variant does' is "$(chunk sheet.png block)" '[0-9]+x[0-9]+'
has_chunks sheet.png filter=transpose rows=60 sheet=yes array=b
sed -i 's/ b\[.*\] = /&1 + /' wrong/kernels/labs/transpose.cu
run render transpose --sheet --budget 1e6 -o sheet.png "${shape[@]}" --variant write_columns --data wrong
expect "a lab's sheet with wrong results exits with 1 ($err)" is "$status $err" \
    '1 tilescope: 1 result differs from the reference'
expect 'and shows them' has "$(chunk sheet.png 'result write_columns')" 'max |diff| = '

# ---- restore ----

cp colour.png box/mine.png
run render box/mine.png -o shot.png --filter gaussian --variant shared --radius 5 --param sigma=1.1 \
    --block 16x16 --unroll --gray --device cpu
# restored NAME ARGUMENTS…: makes the same picture and the same settings as shot.png.
restored() {
    local output=$1
    shift
    run render --restore shot.png --device cpu "$@"
    expect "render --restore $* exits with 0 ($err)" is $status 0
    expect "render --restore $*: the same picture" same "$output" shot.png
    expect "render --restore $*: the same settings" is "$("$probe" text "$output")" \
        "$("$probe" text shot.png | sed 's/[][\\.(){}|*+?^$]/\\&/g')"
}
expect_not 'where the picture lies is private' has "$("$probe" text shot.png)" box
mv box/mine.png .
restored out.png -o out.png
rm -f shot-restored.png
restored shot-restored.png
rm -f out.png
(cd box && run render --restore ../shot.png -o ../out.png --device cpu)
expect "the picture is found beside the screenshot ($(<err))" same out.png shot.png
cp mine.png box
"$probe" noise mine.png 20 10 grey 9
rm -f out.png
(cd box && run render --restore ../shot.png -o ../out.png --device cpu)
expect 'it is found in the present folder, and the same one is taken' same out.png shot.png
expect 'and nothing is said of the other one' is "$(<err)" ''
run render --restore shot.png -o out.png --device cpu
expect 'one that differs is shown' is "$status $(chunk out.png size)" '0 20x10'
expect 'and it is said' is "$err" "tilescope: 'mine.png' is not the picture that 'shot.png' was .*"
rm mine.png
run render "$source_dir/assets/chart.png" -o sample.png --filter invert --device cpu
run render --restore sample.png -o out.png --device cpu
expect "a sample is found ($err)" same out.png sample.png
run render --restore shot.png colour.png -o out.png --device cpu
expect "render --restore takes another picture ($err)" same out.png shot.png
run render --restore two.png colour.png -o out.png --device cpu
expect "a sheet restores, too ($err)" is "$(chunk out.png variant)" texture
rm box/mine.png

# ---- view without a display ----

for display in '' :99999; do
    rm -f box/tilescope.png
    (cd box && DISPLAY=$display run view ../colour.png --radius 4 && cp "$work/err" "$work/err.view" &&
        echo $status >"$work/status")
    expect "view on display '$display' exits with 0" is "$(<status)" 0
    expect "view on display '$display' says it in one line" is "$(<err.view)" \
        "tilescope: no display [^
]*tilescope.png[^
]*"
    "$probe" mean colour.png mean.png 4
    expect "view on display '$display' writes the frame" same box/tilescope.png mean.png
done
# A first word may name a filter or a lab; a file of that name is ./NAME.
cp colour.png box/gaussian
(cd box && DISPLAY= run view gaussian ./gaussian)
expect 'a filter is chosen by its name' is "$(chunk box/tilescope.png filter)" gaussian
expect 'for the picture behind it' is "$(chunk box/tilescope.png picture)" gaussian
(cd box && DISPLAY= run ./gaussian)
expect 'a file that is named so is a picture' is "$(chunk box/tilescope.png filter)" mean
(cd box && DISPLAY= run transpose --param rows=64 --param columns=64)
expect 'a lab is chosen by its name' is "$(chunk box/tilescope.png filter)" transpose
rm -f box/tilescope.png box/gaussian
(cd box && run && echo $status >"$work/status")
expect 'without arguments the sample is taken' is "$(<status)" 0
for sample in scene chart; do
    shape=$("$probe" shape "$source_dir/assets/$sample.png")
    expect "sample $sample is large: $shape" is "$shape" '(192[0-9]|19[3-9].|[2-9]...)x(10[89].|1[1-9]..|[2-9]...) rgb'
done
expect 'the sample is written' is "$("$probe" shape box/tilescope.png)" \
    "$("$probe" shape "$source_dir/assets/scene.png")"
rm -f box/tilescope.png

# ---- bad input ----

: >empty.png
printf 'not a picture at all\n' >words.png
head -c 2000 colour.png >cut.png
head -c 20 colour.png >head.png
printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\0\0\0\0\x66\x66\x66\x66' >zero.png
"$probe" noise wide.png 40000 1 grey 7
{ printf 'P5\n1 40000\n255\n' && head -c 40000 /dev/zero; } >high.pgm
mkdir folder
mkfifo pipe
for pair in "=it has no name" '/nosuch/a=No such file' '/usr=it is a folder' 'pipe=it is not a regular'; do
    refuse 1 "cannot write '${pair%%=*}': ${pair#*=}" view colour.png --dump-state="${pair%%=*}"
done
refuse 1 "'nosuch.png'" render nosuch.png -o OUT
refuse 1 "'no?tilescope: such.png'" render $'no\ntilescope: such.png' -o OUT
refuse 1 "'no?such/out.png'" render colour.png -o $'no\nsuch/out.png'
refuse 2 "'no?such'" view colour.png --device $'no\nsuch'
# test_image has all kinds of broken files.
for name in empty.png words.png cut.png zero.png high.pgm folder pipe; do
    refuse 1 "'$name'" render $name -o OUT
done
refuse 1 40000 render wide.png -o OUT
refuse 1 truncated render cut.png -o OUT
cp colour.png locked.png && chmod 0 locked.png
program=$obedient refuse 1 'Permission denied' render locked.png -o OUT

refuse 1 "device 'cuda:77'" render colour.png -o OUT --device cuda:77
refuse 2 --fast render colour.png -o OUT --fast
# test_options and test_state have all words of a command line and of a file's settings.
refuse 2 'radius 65 is outside' render colour.png -o OUT --radius 65
for block in 33x32 2000x1 1x1025; do
    refuse 1 "block ${block/x/×}" render colour.png -o OUT "--block=$block" --device cpu
done
refuse 1 'flip naive_rgb24 works on colour pictures' render grey.png -o OUT --filter flip \
    --variant naive_rgb24
refuse 2 -o render colour.png
refuse 2 picture render -o OUT
refuse 2 picture render colour.png grey.png -o OUT
refuse 1 "'cuda:77'" devices --device cuda:77
refuse 2 "'Upp'" view colour.png --keys '1 Upp q'
refuse 2 "'0x0'" view colour.png --size 0x0
refuse 1 "the folder for screenshots '/nosuch' is not there" view colour.png --shots /nosuch
refuse 2 "there is no file, filter or lab 'transpos'; did you mean 'transpose'?" view transpos
refuse 2 "there is no file, filter or lab 'landscape'" view landscape
refuse 1 "there is no tour 'bank'; did you mean 'banks'?" view --script bank
refuse 1 "'/no/such.tour'" view --script /no/such.tour
refuse 2 'gaussian is a filter: --filter mean does not go with it' view gaussian --filter mean
refuse 2 '--restore says what to run: mean does not' view --restore shot.png mean

# ---- misspelt ----

refuse 2 "unknown command 'lsit'; did you mean 'list'?" lsit
refuse 2 "did you mean 'shared'?" render colour.png -o OUT --variant sharde
refuse 2 "did you mean 'shared'?" bench --size 8x8 --variant naive,sharde --device cpu
cp colour.png lsit
expect_not 'a picture called like a command is one' has \
    "$(env -u DISPLAY "$program" lsit --device cuda:77 2>&1)" 'did you mean'
rm lsit

# ---- names that would lie ----

refuse 2 'a PNG file is written, not .jpg' render colour.png -o OUT.jpg
refuse 2 'not .svg' render --sheet colour.png -o OUT.svg
refuse 2 'not .jpg' render --restore shot.png -o OUT.jpg
for name in noending upper.PNG .hidden.png; do
    run render colour.png -o $name --device cpu
    expect "a PNG may be called $name ($err)" is $status 0
done

# ---- settings that cannot be restored ----

refuse 1 "mine.png', which is neither beside it nor here" render --restore shot.png -o OUT
refuse 1 "'colour.png' carries no settings" render --restore colour.png -o OUT
refuse 1 "'head.png': the file is truncated" render --restore head.png -o OUT
head -c "$(LC_ALL=C grep -abo IDAT shot.png | sed -n '1s/:.*//p')" shot.png >cut_shot.png
expect 'a picture cut behind its settings still restores' "$program" render --restore cut_shot.png \
    colour.png -o out.png --device cpu
refuse 2 '--radius does not go with it' render --restore shot.png colour.png -o OUT --radius 3
refuse 2 picture render --restore shot.png colour.png grey.png -o OUT
refuse 2 "variant 'fast'" render --sheet colour.png -o OUT --variant naive,fast
refuse 2 "variant ''" render --sheet colour.png -o OUT --variant=
refuse 2 -o render --sheet colour.png
refuse 1 "'nosuch.png'" render --sheet nosuch.png -o OUT
refuse 1 "'/nosuch/out.png'" render --sheet colour.png -o /nosuch/out.png
refuse 1 'no variant can be shown: block 33×32' render --sheet colour.png -o OUT --block 33x32 \
    --variant naive --device cpu
refuse 2 'known are a, b' render transpose -o OUT --array c --device cpu
refuse 2 'mean has no arrays' render colour.png -o OUT --array a
refuse 2 'tilescope render transpose' render colour.png -o OUT --filter transpose
refuse 2 '--filter mean does not go with it' render transpose -o OUT --filter mean
refuse 2 'rows 0 is outside' render transpose -o OUT --param rows=0 --device cpu
refuse 2 "did you mean 'padded'" render transpose -o OUT --sheet --variant pedded --device cpu
refuse 1 'was made of a lab, which has no picture' render --restore lab.png colour.png -o OUT

# A display is not what is wrong here, so the line about it comes first.
(cd box && run view nosuch.png; echo $status >"$work/status")
expect 'view of a missing picture exits with 1' is "$(<status)" 1
expect 'view of a missing picture names it' has "$(<err)" "'nosuch.png'"
expect 'view of a missing picture writes nothing' is "$(ls box)" old.png

# ---- output that cannot be written ----

refuse 1 "'/nosuch/out.png'" render colour.png -o /nosuch/out.png
refuse 1 "'/proc/out.png'" render colour.png -o /proc/out.png
refuse 1 "'folder'" render colour.png -o folder
refuse 1 "'/dev/full'" render colour.png -o /dev/full
refuse 1 "''" render colour.png -o ''
refuse 1 "'..': it is a folder" render colour.png -o ..
mkdir closed && chmod 555 closed
program=$obedient refuse 1 "'closed/out.png'" render colour.png -o closed/out.png
# A disk that fills up while the file is written.
"$probe" noise large.png 1203 817 rgb 8
run render large.png -o out.png --filter invert --device cpu
(
    ulimit -f 1000  # a compiled kernel is smaller
    failures=0
    refuse 1 "'box/" render large.png -o OUT --filter invert --device cpu
    exit "$failures"
)
failures=$((failures + $?))
run list >/dev/null
"$program" list >/dev/full 2>err
expect 'a list that cannot be printed exits with 1' is $? 1
expect 'and says so' has "$(<err)" tilescope:

# ---- kernel files ----

line_of() { grep -nE -m 1 "$2" "$1/kernels/filters/mean.cu" | cut -d: -f1; }

data unknown filters/mean 's,^//! variant naive 32x8$,& turbo=on,'
where="unknown/kernels/filters/mean.cu:$(line_of unknown turbo): "
refuse 2 "$where" render colour.png -o OUT --data unknown
refuse 2 "$where" view --data unknown
run list --data unknown
expect 'a file with a mistake is named' has "$err" "$where"
expect 'and the list is not whole' is $status 1
expect 'the other files are listed' has "$out" 'invert  Invert'
works render colour.png -o out.png --filter invert --data unknown --device cpu
data values filters/mean 's,^(//! param radius .*)\[0\, 64\],\1[0; 64],'
refuse 2 "values/kernels/filters/mean.cu:$(line_of values '0; 64'): " bench mean --data values
data syntax filters/mean '0,/unsigned int sum = 0;/s//unsigned int sum = zero;/'
# says_where FOLDER PATTERN COLUMN MESSAGE LINE: the compiler's log has file, line and column, then the
# line itself and a caret below it.
says_where() {
    run render colour.png -o box/new.png --data "$1" --device cpu
    expect "a kernel of $1 that does not compile exits with 1" is $status 1
    expect "the log of $1" is "$err" "tilescope: mean\\.cu:$(line_of "$1" "$2"):$3: [^
]*$4[^
]*
    $5
 {$(($3 - 1))}\\^"
    expect "and nothing is written" is "$(ls box)" old.png
}
says_where syntax 'sum = zero' 24 zero 'unsigned int sum = zero;'
expect 'another filter of that folder still runs' "$program" render colour.png -o out.png \
    --data syntax --filter invert
data words filters/mean '0,/unsigned int sum = 0;/s//unsigned int sum = __nonesuch(0);/'
says_where words nonesuch 24 __nonesuch 'unsigned int sum = __nonesuch\(0\);'
mkdir -p bare/kernels/filters
refuse 1 "'bare/kernels'" list --data bare
refuse 1 "'nosuch/kernels'" list --data nosuch
printf '\xff\xfe\0\0//! filter' >bare/kernels/filters/mean.cu
refuse 1 'bare/kernels/filters/mean.cu' list --data bare
: >bare/kernels/filters/mean.cu
refuse 1 'bare/kernels/filters/mean.cu' list --data bare
rm bare/kernels/filters/mean.cu
cp "$source_dir/kernels/filters/mean.cu" 'bare/kernels/Not a name.cu'
expect 'what cannot stand in a name is _' has "$("$program" list --data bare)" Not_a_name
data good filters/mean 's,^//! filter "Mean",//! filter "Middle",'
expect 'an edited folder is listed' has "$("$program" list --data good)" Middle
mv good 'a folder with ☃'
works render colour.png -o out.png --data 'a folder with ☃' --filter invert --device cpu

# ---- no compiler ----

CC=/nosuch/cc refuse 1 "'/nosuch/cc'" render colour.png -o OUT --device cpu
CC=false refuse 1 'compiler' render colour.png -o OUT --device cpu
CC=/nosuch/cc refuse 1 "no variant can be shown: no C++ compiler found: CC names '/nosuch/cc'" \
    render --sheet colour.png -o OUT --device cpu
if grep -q '^taken .*device cuda' <("$program" devices); then
    CC=/nosuch/cc run render --sheet colour.png -o unchecked.png --device cuda
    expect "a GPU needs no C++ compiler, but for the check ($err)" \
        has "$status $(chunk unchecked.png 'result naive')" ', not checked'
else
    echo 'skipped: a sheet of a GPU without a C++ compiler: there is no GPU'
fi
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase $1 in --version | -print-*) echo "sham 1.0" && exit ;; esac\nexit 1\n' >sham
chmod +x sham
CC=$work/sham refuse 1 'mean.cu: the C++ compiler failed: it said nothing' render colour.png -o OUT --device cpu
# Nothing is remembered of a kernel whose compiler was killed, or fails without a word about it.
CC=$work/sham run bench colour.png --device cpu --variant naive --budget 1e6
expect_not 'no kernel is slow for it' has "$("$program" list)" 'mean_naive stays slow'
CC="$(command -v cc) -DEXTRA_WORD" run render colour.png -o out.png --device cpu
expect "CC may have arguments ($err)" is $status 0
expect 'list FILE lists that file alone' is "$(
    "$program" list "$source_dir/kernels/filters/mean.cu" | grep -o '^[a-z]*')" mean
expect 'list needs no compiler' env PATH=/nosuch CC=/nosuch/cc "$program" list
expect 'what a CPU runs is shown' has "$("$program" list --rewritten "$source_dir/kernels/filters/mean.cu")" \
    'void emulator_fast_mean_naive(plane out, plane in, int radius)'
expect 'and what stays as it is says why' has "$("$program" list)" \
    'gaussian_fast stays slow on a CPU: asm'
expect 'and of shuffles, for which blocks' has "$("$program" list)" \
    "scan_shuffle stays slow on a CPU where a block's width times height is no multiple of 32: its lanes wait"
expect 'which are written anew all the same' is "$(
    "$program" list --format json "$source_dir/kernels/labs/scan.cu" |
        grep -o '"scan_[a-z_]*":' | sort -u)" '"scan_look_back":'
# Where what is written anew clashes with the file's own names, the file runs, and says why it is slow.
cat >clash.cu <<'END'
//! lab "Clash"
//! param n 64 [1, 4096]  numbers
//! array b out [n] shown 0, 9
#include "lab.h"
__device__ int emulator_fast_own;
//! variant naive 32x1
__global__ void own(int *b, int n)
{
    b[threadIdx.x] = emulator_fast_own;
}
END
works bench clash.cu --device cpu --budget 1e6
run list clash.cu
expect "and the list says why it is slow ($out)" \
    has "$out" '  own stays slow on a CPU: what is written anew fails: '

# ---- no driver ----

expect_not 'the program is linked with no driver and no toolkit' \
    grep -qE 'libcuda|libnvrtc|libcudart|libnvidia' <(ldd "$program")

# ---- a compiler that hangs, signals, closed streams ----

# It hangs at the words it is given: when it is asked for its version, or later.
mkdir hangs temporary
printf '#!/bin/sh\n[ "$1$HANGS_AT" = --version ] && exec echo hangs 1.0\necho $$ >>%s\nexec sleep 1000\n' \
    "$PWD/hanging" >hangs/cc
chmod +x hangs/cc
# ended_by SIGNAL WHAT ARGUMENTS…: a command that waits for the compiler.
ended_by() {
    local signal=$1 what=$2 process status=0
    shift 2
    rm -f hanging
    CC=$PWD/hangs/cc TMPDIR=$PWD/temporary TILESCOPE_CACHE='' env --default-signal=INT \
        "$program" "$@" >hangs/out 2>err &
    process=$!
    until [ -s hanging ] || ! kill -0 $process 2>/dev/null; do sleep 0.05; done
    kill -"$signal" $process
    wait $process || status=$?
    expect "SIG$signal while $what ends with it" is $status $((128 + $(kill -l "$signal")))
    expect "SIG$signal while $what prints at most what is finished" is "$(tail -n 1 hangs/out)" \
        '(.* was stopped: the program is ending)?'
    rm hangs/out
    expect "SIG$signal while $what leaves no folder" is "$(ls -A temporary)" ''
    expect "SIG$signal while $what leaves no picture" is "$(ls -A hangs)" cc
    while read -r process; do
        # One that a child of the command has started ends with the child, a moment later.
        for ((i = 0; i < 200; i++)); do kill -0 "$process" 2>/dev/null && sleep 0.05 || break; done
        expect_not "SIG$signal while $what ends the compiler" kill -0 "$process"
    done <hanging
}
for signal in INT TERM; do
    ended_by $signal compiling render colour.png -o hangs/out.png --device cpu
    ended_by $signal 'compiling for a sheet' render --sheet colour.png -o hangs/out.png --device cpu
    ended_by $signal 'compiling for a measurement' bench --size 8x8 --device cpu
    HANGS_AT=first ended_by $signal 'looking for devices' devices --device cpu
done
rm -rf hangs temporary hanging err

# Two that want the same kernels at once: each text is compiled by one of them. The compiler holds the
# first text until the other one has had time to come to it.
mkdir once
printf '#!/bin/sh\ncase $1 in --version | -print-*) exec cc "$@" ;; esac\n%s\n%s\nexec cc "$@"\n' \
    "for last; do case \$last in */kernel.c) cksum <\$last >>'$PWD/once/texts' ;; esac; done" \
    "until [ -e '$PWD/once/go' ]; do sleep 0.05; done" >once/cc
chmod +x once/cc
renders=()
for i in 1 2; do
    CC=$PWD/once/cc TILESCOPE_CACHE=$PWD/once/cache "$program" render colour.png --filter invert \
        -o once/$i.png --device cpu &
    renders+=($!)
    until [ -s once/texts ] || ! kill -0 ${renders[0]} 2>/dev/null; do sleep 0.05; done
done
sleep 0.5
touch once/go
for i in 1 2; do expect "render $i of two at once" wait ${renders[i - 1]}; done
expect 'two at once compile something' [ -s once/texts ]
expect 'two at once compile nothing twice' is "$(sort once/texts | uniq -d)" ''
rm -rf once

"$program" render colour.png -o streams.png --device cpu <&- >&- 2>&-
expect 'closed streams: a picture is written' same streams.png streams.png
rm -f streams.png

# ---- kernels that break ----

# spoilt NAME BODY [ABOVE]: a data folder of one filter whose kernel has that body.
spoilt() {
    mkdir -p "$1/kernels"
    cp -r "$source_dir"/kernels/*.h "$1/kernels"
    printf '//! filter "Spoilt" key m\n#include "kernel.h"\n%s\n%s\n%s\n{\n%s\n}\n' "${3:-}" \
        '//! variant plain 8x8' '__global__ void spoilt_plain(plane out, plane in)' "$2" >"$1/kernels/spoilt.cu"
}
# breaks NAME BODY WORDS [ABOVE]: it is refused. A sanitizer reports faults itself, and takes terabytes of
# addresses.
breaks() {
    spoilt "$1" "$2" "${4:-}"
    is_sanitized || refuse 1 "$3" render colour.png -o OUT --data "$1" --filter spoilt --device cpu
}
breaks division 'out.pixels[0] = 7 / (out.width - in.width);' 'divides an integer by zero'
breaks wild '*(volatile int *)(size_t)(out.width - in.width) = 1;' 'reads or writes outside its memory'
for place in '3 * out.height * out.pitch + 4096' -4096; do  # behind its three planes, and before
    breaks wild "if (blockIdx.z == 0) out.pixels[$place] = 1;" 'reads or writes outside its memory'
done
breaks gives_up 'abort();' ') calls abort()' 'extern "C" __device__ void abort();'
spoilt large 'volatile char local[300 * 1024]; local[threadIdx.x] = 1;'
run render colour.png -o box/new.png --data large --filter spoilt --device cpu
expect '300 KB of local arrays are refused' is "$status $(ls box)" '1 old.png'
expect 'and it is said where' has "$err" 'spoilt.cu:'
mkfifo division/kernels/x.cu
run list --data division
expect 'a pipe among the kernel files is left out' is "$status $err" '1 tilescope: .*/x\.cu.*'
expect 'and not waited for' has "$out" 'spoilt  Spoilt'
rm -r division wild large

# ---- little memory ----

# Whatever it is that does not fit: one line, and no signal.
for kilobytes in 60000 120000 240000 480000; do
    if is_sanitized; then echo 'skipped: little memory, with a sanitizer' && break; fi
    (ulimit -v $kilobytes && run render colour.png -o box/new.png --device cpu
        cp "$work/err" "$work/err.little" && echo $status >"$work/status")
    expect "with $kilobytes KB of memory no signal ends it ($(<err.little))" is "$(<status)" '[01]'
    [ "$(<status)" = 0 ] || expect "with $kilobytes KB it says why in one line" is "$(<err.little)" 'tilescope: [^
]+'
    rm -f box/new.png
done
# A stack that cannot grow ends a program without a word. 8192 KB are usual.
if ! is_sanitized; then
    (ulimit -s 512 && run render colour.png -o box/new.png --device cpu
        echo "$status" >"$work/status")
    expect 'half a megabyte of stack is enough for its own thread' is "$(<"$work/status")" 0
    rm -f box/new.png
fi

# ---- words of a file that would move the cursor ----

mkdir -p escapes/kernels
cp -r "$source_dir"/kernels/*.h escapes/kernels
printf '//! filter "A \033[31mred \342\200\256one"\n#include "kernel.h"\n%s\n__global__ void k() {}\n' \
    '//! variant naive 32x8' >escapes/kernels/red.cu
for words in "list --data escapes" "list --data escapes --format json"; do
    # shellcheck disable=SC2086
    run $words
    expect "$words exits with 0" is $status 0
    expect_not "$words prints no control characters" grep -qP '\x1b|\x{202e}' "$work/out"
done
rm -rf escapes

finish
