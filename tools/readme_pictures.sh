#!/usr/bin/env bash
# Makes the README's pictures: plays keys in a real window, and takes what they show.
#
#     tools/readme_pictures.sh PROGRAM FOLDER [OPTION…]
#     tools/readme_pictures.sh build/release/tilescope assets --device cuda
#
# The options are those of `tilescope view`. It needs a display and Python's imaging library
# (python3-pil). Where all bars are to be known at once, the times are recorded ones.
set -euo pipefail

program=$1 folder=$2
shift 2
options=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
picture=$(dirname "$0")/../assets/scene.png

# play NAME ARGUMENTS…: a window that takes its screenshots in a folder of that name
play() {
    local name=$1
    shift
    mkdir "$work/$name"
    "$program" view --size 1280x720 --shots "$work/$name" "${options[@]}" "$@" >/dev/null
}

# still NAME ARGUMENTS…: its last screenshot
still() {
    play "$@"
    local shots=("$work/$1"/*.png)
    mv "${shots[-1]}" "$folder/$1.png"
    echo "$folder/$1.png"
}

still lab "$picture" --times h200 --keys '4 T 6 l g s q'
still lens "$picture" --keys 'T 1 c 3 E M J s q'
still banks "$picture" --keys 'T 4 M M j j s q'
still tour --script 06_banks --from 5 --times h200 --keys 'l s q'
still compare "$picture" --radius 12 --unroll --keys '1 c 5 s q'
"$program" render "$picture" --filter gaussian --radius 4 --sheet -o "$folder/sheet.png"

# What is pressed before each frame of the moving picture, and how long it stands, in milliseconds.
frames=(
    'l:2500'         # mean, naive: and the times of all variants
    '3:2500'         # tiled in shared memory
    '4:2500'         # as a row and a column
    '1 l M:4000'     # naive again: what a warp asks for, address by address
    '3:4000'         # and tiled
    'E:4000'         # the lines that ask for it
    'E E E M M T 3 l:2500' # another kernel: a transpose that reads columns
    'M:4000'         # why it is slow
    '5:4000'         # through shared memory, padded
)
keys='' lasts=()
for frame in "${frames[@]}"; do
    keys+="${frame%:*} s "
    lasts+=("${frame#*:}")
done
play moving "$picture" --times h200 --keys "$keys q"

/usr/bin/python3 - "$work/moving" "$folder/moving.gif" "${lasts[@]}" <<'END'
import glob, os, sys
from PIL import Image

shots = sorted(glob.glob(os.path.join(sys.argv[1], '*.png')), key=os.path.getmtime)
lasts = [int(ms) for ms in sys.argv[3:]]
if len(shots) != len(lasts):
    sys.exit('%d frames were wanted, and %d were taken' % (len(lasts), len(shots)))
# An octree keeps the few pixels of a badge or a bar in their colour; a median cut turns them grey.
frames = []
for shot in shots:
    picture = Image.open(shot).convert('RGB')
    palette = picture.quantize(256, method=Image.Quantize.FASTOCTREE)
    frames.append(picture.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG))
frames[0].save(sys.argv[2], save_all=True, append_images=frames[1:], duration=lasts, loop=0,
               optimize=True)
print('%s: %d frames, %d kB' % (sys.argv[2], len(frames), os.path.getsize(sys.argv[2]) // 1000))
END
