#!/usr/bin/env bash
# shellcheck disable=SC2016,SC2034  # what is planted is evaluated later
# The layer rules of the design, read out of the tree: PROGRAM SOURCE_DIR PROBE_PNG BUILD_DIR
# One table has the order of the folders, another who may use which library.
# Each rule is tried twice: it must hold on the tree, and it must not hold on a copy into which a
# violation was planted.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

# ---- rules ----
# Each prints the lines that break it, and succeeds when there are none. The present folder is a
# tree like the source's.

none() { ! grep . <<<"$1"; }

sources() { find src -name '*.[ch]' | sort; }

# Lines of code, without their comments, that match a pattern: file:line: text
code() {
    local pattern=$1
    shift
    awk -v pattern="$pattern" '{ sub(/\/\/.*/, "") } $0 ~ pattern { print FILENAME ":" FNR ": " $0 }' "$@"
}

# only PATTERN FILE…: no other file of src/ matches.
only() {
    local pattern=$1 file found
    shift
    found=$(code "$pattern" $(sources))
    for file in "$@"; do found=$(grep -v "^src/$file:" <<<"$found"); done
    none "$found"
}

# The folders of src/ are layers: a file includes only from its own, from those that this table
# names beside it, and from what these need in turn.
declare -A needs=(
    [base]='' [device]=base [filter]=device [frame]=filter [measure]=frame [lens]=frame
    [grade]=lens [draw]='lens measure' [screen]=draw [gl]=screen [app]=screen [tour]=app
    [viewer]='tour gl' [commands]='viewer grade'
)
# What differs by platform is in a folder of its own, whose headers no other folder includes.
platforms=(device/cuda device/cpu)

# below FOLDER: it and all that it needs, a line each; nothing of a folder that is no layer.
below() {
    local folder
    [ -v "needs[$1]" ] || return 0
    echo "$1"
    for folder in ${needs[$1]}; do below "$folder"; done
}

# Each include of ours, as "folder/who.c folder/whom.h".
includes() {
    grep -HoE '^#include "[^"]+"' $(sources) | sed 's|^src/||; s|:#include "| |; s|"$||'
}

# Finds includes against the order, and those that are not written "folder/file.h".
layers_are_in_order() {
    local folder
    for folder in "${!needs[@]}"; do
        below "$folder" | sed "s|.*|$folder &|"
    done >"$work/allowed"
    includes |
        awk 'NR == FNR { is_allowed[$0]; next }
            { split($1, from, "/"); split($2, to, "/") }
            !((from[1] " " to[1]) in is_allowed) { print "src/" $1 ": includes " $2 }' \
            "$work/allowed" - | (! grep .)
}

# Of the pairs that the order allows, few are used: a folder mostly knows its neighbours.
most_pairs=65
pairs_are_few() {
    local pairs
    pairs=$(includes | sed -E 's|/[^ ]* | |; s|/.*||' | awk '$1 != $2' | sort -u)
    [ "$(wc -l <<<"$pairs")" -le $most_pairs ] || { echo "$pairs"; return 1; }
}

# The page says "(needs a and b)" of each layer, as the table does.
page_says_what_is_needed() {
    local folder
    for folder in "${!needs[@]}"; do
        [ "$folder" = base ] || echo "$folder: ${needs[$folder]}"
    done | sort |
        diff - <(sed -nE 's/^- \*\*([a-z]+)\*\* \(needs ([a-z ]+)\).*/\1: \2/p' \
            docs/architecture.md | sed 's/ and / /g' | sort)
}

platforms_are_hidden() {
    local folder
    for folder in "${platforms[@]}"; do
        grep -HE "^#include \"$folder/" $(sources | grep -v "^src/$folder/") || true
    done | (! grep .)
}

# Includes of src/ and of libraries, for compiling a header alone.
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")
read -ra flags <<<"-D_POSIX_C_SOURCE=200809L -Wall -Werror -isystem $toolkit/include \
$(pkg-config --cflags glib-2.0 pangocairo libpng libcjson libseccomp glew glut x11)"

# Kernels, and what is theirs alone, are C++. They are compiled as a whole program (compiler.c), where
# an attribute of __device__ says nothing about static functions.
is_self_contained() {
    local language=(-std=gnu11 -x c)
    case $1 in
    device/cpu/*_words.h | kernels/*)
        language=(-x c++ -std=gnu++17 -nostdinc++ -include device/cpu/cuda_words.h
            -Wno-attributes)
        ;;
    esac
    cc "${flags[@]}" -Isrc "${language[@]}" -fsyntax-only - <<<"#include \"$1\""
}

# A header that is its .c's first include has compiled alone with that.
headers_are_self_contained() {
    local header broken=0
    for header in $(find src -name '*.h' -printf '%P\n') kernels/kernel.h; do
        [ -e "src/${header%.h}.c" ] && continue
        if [ ! -e "$toolkit/include/cuda_runtime_api.h" ] && [[ $header = device/cuda/* ]]; then
            echo "skipped without a CUDA toolkit: $header"
            continue
        fi
        is_self_contained "$header" || broken=1
    done
    return $broken
}

own_header_comes_first() {
    local name
    for name in $(find src -name '*.h' -printf '%P\n'); do
        [ ! -e "src/${name%.h}.c" ] || echo "src/${name%.h}.c"
    done | sort | xargs awk '
        { sub(/\/\/.*/, "") }
        FNR == 1 {
            if (own) print file
            file = own = FILENAME
            gsub(/^src\/|c$/, "", own)
        }
        own && /#include/ {
            if ($0 !~ "\"(" own "h|device/backend_impl[.]h)\"") print file
            own = ""
        }
        END { if (own) print file }' | (! grep .)
}

kernels_include_only_the_contract() {
    none "$(code '#[ \t]*include' kernels/*/*.cu | grep -vE ': #include "[a-z0-9_]+\.h"$')"
}

every_kernel_file_has_a_reference() {
    local file
    for file in kernels/*/*.cu; do
        grep -q '^//! reference ' "$file" || echo "$file"
    done | (! grep .)
}

# Finds writable data in the program's objects by its section; const tables of pointers are in
# .data.rel.ro. Allowed are the emulator's thread-local words of CUDA, what handlers of signals look
# for on their thread, and stb_image's own data.
nothing_is_mutable_and_global() {
    local object
    find "$1" -path '*/core.dir/*.o' -o -path '*/window.dir/*.o' -o -path '*/tilescope.dir/*.o' |
        while read -r object; do
            objdump -t "$object" | awk -v object="$(basename "$object")" '
                $NF ~ /^(stbi__|\.|__(odr_)?asan|__sanitizer)/ { next }
                object ~ /^(emulated_(block|trace)|fault|object)\.c\.o/ && / \.t(bss|data)\t/ { next }
                / (\.(t?bss|t?data|lbss)(\.[^r][^\t]*)?|\*COM\*)\t/ { print object ": " $NF }'
        done | (! grep .)
}

# All work on the GPU goes through the one stream that a backend makes.
there_is_one_stream() {
    local queue='cuda(EventRecord|LaunchKernel|GraphicsMapResources|GraphicsUnmapResources|Mem(cpy|set)[A-Za-z0-9]*Async|StreamQuery|StreamSynchronize)[(]'
    local created
    created=$(code 'cudaStreamCreate' $(sources))
    [ "$(grep -c . <<<"$created")" = 1 ] || { echo "streams are created in: $created"; return 1; }
    none "$(code 'cuda(StreamLegacy|StreamPerThread|DeviceSynchronize)|<<<|cuda(Memcpy|Memset)[(]' $(sources))" ||
        return
    awk -v queue="$queue" '  # a call names the stream before its semicolon
        FNR == 1 { is_open = 0 }
        { sub(/\/\/.*/, "") }
        $0 ~ queue { call = ""; is_open = 1; line = FNR }
        is_open { call = call $0 }
        is_open && /;/ {
            is_open = 0
            if (call !~ /stream[,)]|backend_stream[(]/) print FILENAME ":" line ": " call
        }' $(sources) | (! grep .)
}

# A function or a file is over the limit only with a comment that says why: "Long because" above the
# function, "This file is long because" in the file.
function_lines=60 file_lines=500
lengths_have_reasons() {
    awk -v limit=$function_lines '
        FNR == 1 { begin = 0; has_reason = 0 }
        /\/\/ Long because / { has_reason = 1 }
        /^{$/ { begin = FNR }
        /^}/ {
            if (begin && FNR - begin - 1 > limit && !has_reason)
                print FILENAME ":" begin ": a function of " FNR - begin - 1 " lines"
            begin = 0
            has_reason = 0
        }' $(sources) | (! grep .) || return
    none "$(wc -l $(sources) | awk -v limit=$file_lines '$2 != "total" && $1 > limit { print $2 }' |
        xargs -r grep -L 'This file is long because')"
}

# ---- documents ----

documents() { ls README.md CONTRIBUTING.md CHANGELOG.md kernels/README.md docs/*.md; }

# Every path of the tree by its last words, as in a/b.c and b.c, and what src and kernels define.
list_names() {
    find -L . -name build -prune -o -name .git -prune -o -type f -print |
        awk '{ while (sub(/^[^\/]*\//, "")) print }' | sort -u >"$work/paths"
    grep -rhE '^(#define |(EMULATOR_WORD\(|[a-z]).*[ *])[a-z_0-9]+\(' src kernels |
        grep -oE '[ *][a-z_0-9]+\(' | tr -d ' *(' | sort -u >"$work/functions"
}

# Files and functions() that a document names are in the tree, and links lead somewhere.
names_exist() {
    local document word
    list_names
    for document in $(documents); do
        grep -oE '[A-Za-z0-9_/*-]+\.(c|h|cu|sh|frag|tour)\b' "$document" | sort -u |
            grep -v posterize | comm -23 - "$work/paths" | while read -r word; do
                grep -qE "^${word//\*/.*}\$" "$work/paths" || echo "$document: $word"
            done
        grep -oE '\b[a-z_0-9]+\(\)' "$document" | tr -d '()' | sort -u |
            comm -23 - "$work/functions" | sed "s|.*|$document: &()|"
        grep -oE '\]\([^)#]+' "$document" | cut -c 3- | grep -v '^https:' | while read -r word; do
            [ -e "$(dirname "$document")/$word" ] || echo "$document: a link to $word"
        done
    done | (! grep .)
}

lines_are_short() { none "$(documents | xargs grep -nE '^.{100,}$')"; }

# ---- who may ----
# rule | pattern | files of src/ that may | a line that breaks it elsewhere

rules=(
    'CUDA headers|#include <(cuda|nvrtc|nvml)|device/cuda/backend_cuda.c device/cuda/backend_cuda.h device/cuda/backend_cuda_module.c device/cuda/cub_shim.h device/cuda/libraries.c gl/interop.c|#include <cuda_runtime_api.h>'
    'OpenGL headers|#include <(GL|EGL|GLES)|gl/interop.c gl/display.c gl/shader.c gl/window.c|#include <GL/glew.h>'
    'freeglut|#include <GL/(free)?glut|gl/window.c|#include <GL/freeglut.h>'
    'X11|#include <X11/|gl/exchange.c gl/exchange.h gl/window.c|#include <X11/Xlib.h>'
    'picture files|#include [<"](stb|png|jpeg|webp|tiff)|base/image.c base/image_png.c base/image_jpeg.c base/image_webp.c base/image_tiff.c base/image_stb.c|#include <png.h>'
    'text drawing|#include <(pango|cairo)|draw/paint.h draw/plot.c|#include <cairo.h>'
    'ending the process|(^|[^A-Za-z0-9_])(_?exit|_Exit|quick_exit|abort|raise|g_error)[ ]*[(]|commands/main.c commands/bench_command.c device/cpu/fault.c device/process.c gl/exchange.c viewer/restart.c|    exit(1);'
    'printing|(^|[^A-Za-z0-9_])(v?f?printf|f?puts|f?putc|putchar|perror|g_print|g_printerr|g_warning|g_message)[ ]*[(]|base/terminal.c viewer/viewer_capture.c|    printf("%d", 1);'
    'the standard streams|(^|[^A-Za-z0-9_])std(out|err)|commands/.* gl/exchange.c viewer/viewer_capture.c viewer/restart.c viewer/viewer_source.c viewer/viewer_tour.c base/terminal.c|    setbuf(stdout, 0);'
    'going elsewhere|(^|[^A-Za-z0-9_])(chdir|setenv|putenv|g_setenv|setlocale)[ ]*[(]|commands/main.c|    setenv("DISPLAY", ":0", 0);'
)

# A copy of the tree whose files are old, so that a changed one is newer than the stamp.
kept=$work/kept
mkdir "$kept"
cp -r "$source_dir"/{src,kernels,docs,README.md,CONTRIBUTING.md,CHANGELOG.md} "$kept"
ln -s "$source_dir"/{assets,shaders,tests,tools,tours} "$kept"
find "$kept" -exec touch -h -d 2001-01-01 {} +
touch -d 2002-01-01 "$work/stamp"
(cd "$kept" && find . | sort) >"$work/list"
cp -a "$kept" "$work/copy"

# Makes the copy again what it was. Copying all files for each violation would take too long.
restore() {
    find . -type f -newer "$work/stamp" -delete
    find . | sort | comm -13 "$work/list" - | xargs -r rm -rf
    cp -a --update "$kept/." .
}

# plant EDIT RULE…: in a copy of the tree on which the command EDIT was run, the rule must not hold.
plant() {
    local edit=$1
    shift
    cd "$work/copy" || exit 1
    expect "the violation can be planted: $edit" eval "$edit"
    expect_not "$1 does not notice: $edit" "$@"
    restore
    cd "$source_dir" || exit 1
}

cd "$source_dir" || exit 1
for row in "${rules[@]}"; do
    name=${row%%|*}
    row=${row#*|}
    planted=${row##*|}
    row=${row%|*}
    pattern=${row%|*}
    read -ra files <<<"${row##*|}"
    expect "$name" only "$pattern" "${files[@]}"
    plant 'printf "%s\n" "$planted" >>src/base/stats.c' only "$pattern" "${files[@]}"
done

expect 'the order of the layers' layers_are_in_order
for line in '"app/app.h"' '"viewer/stage.h"' '"stats.h"' '"elsewhere/file.h"'; do
    plant 'echo "#include $line" >>src/measure/figures.h' layers_are_in_order
done
plant 'echo "#include \"app/app.h\"" >>src/gl/window.c' layers_are_in_order
expect 'few folders know each other' pairs_are_few
plant 'echo "#include \"filter/axis.h\"" >>src/viewer/stage.c' pairs_are_few
expect 'the page says what each layer needs' page_says_what_is_needed
plant 'sed -i "s/(needs lens)/(needs measure)/" docs/architecture.md' page_says_what_is_needed
plant 'mkdir src/extra && echo "#include \"base/error.h\"" >src/extra/new.c' layers_are_in_order
expect 'platforms are hidden' platforms_are_hidden
plant 'echo "#include \"device/cpu/emulator.h\"" >>src/device/backend.c' platforms_are_hidden

expect 'own header first' own_header_comes_first
plant 'sed -i "0,/^#include/s//#include <math.h>\n&/" src/base/stats.c' own_header_comes_first
plant 'sed -i /#include/d src/base/stats.c' own_header_comes_first

expect 'headers compile alone' headers_are_self_contained
plant 'echo "struct size { size_t n; };" >>src/filter/expr.h && sed -i "/#include/d" src/filter/expr.h' \
    is_self_contained filter/expr.h

expect 'kernels include only headers of their folder' kernels_include_only_the_contract
plant 'echo "#include <math.h>" >>kernels/filters/mean.cu' kernels_include_only_the_contract

expect 'every kernel file has a reference' every_kernel_file_has_a_reference
plant "sed -i 's,^//! reference ,// reference ,' kernels/filters/mean.cu" every_kernel_file_has_a_reference

expect 'no mutable globals' nothing_is_mutable_and_global "$build"
for line in 'int count = 1;' 'static int last; int *get(void); int *get(void) { return &last; }' \
    'int *get(void); int *get(void) { static int last[9]; return last; }' \
    '_Thread_local int depth = 3;' 'int common;'; do
    plant 'mkdir core.dir && cc -fcommon -c -x c -o core.dir/a.o - <<<"$line"' \
        nothing_is_mutable_and_global .
done
expect 'constant tables are none' eval 'mkdir -p "$work/tables/core.dir" &&
    cc -fPIC -c -x c -o "$work/tables/core.dir/a.o" - <<<"const char *const names[] = {\"a\"};" &&
    nothing_is_mutable_and_global "$work/tables"'

expect 'lengths have reasons' lengths_have_reasons
long='void long_function(void)\n{\n%b\n}\n' many=$(seq -s ';\n' 1 99)
plant 'printf "$long" "$many" >>src/base/stats.c' lengths_have_reasons
plant 'printf "// Long because of a table.\n$long$long" "$many" "$many" >>src/base/stats.c' \
    lengths_have_reasons
plant 'seq -f "// %g" 600 >>src/base/stats.c' lengths_have_reasons

expect 'names in documents exist' names_exist
plant 'mv src/frame/frame.c src/frame/frames.c' names_exist
plant 'echo "\`no_such_function()\`" >>README.md' names_exist
plant 'echo "[page](docs/none.md)" >>README.md' names_exist
expect 'lines of documents are short' lines_are_short
plant 'printf "%0100d\n" 0 >>docs/ladder.md' lines_are_short

expect 'one stream' there_is_one_stream
for line in 'cudaStreamCreate(&another);' 'cudaEventRecord(mark, 0);' 'cudaDeviceSynchronize();' \
    'cudaGraphicsMapResources(1, &resource,
        0);' 'cudaMemset(memory, 0, 16);'; do
    plant 'printf "%s\n" "$line" >>src/gl/interop.c' there_is_one_stream
done

expect 'each plant left the copy as it was' diff -r --no-dereference "$kept" "$work/copy"
finish
