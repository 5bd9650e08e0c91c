#!/usr/bin/env bash
# Tours in the window, by real keys: claims, steps back and ahead, the lists, what draws the eye,
# notes, a saved file. On the cpu backend, which every machine has.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"
"$probe" noise a.png 61 37 grey 1
mkdir -p data/tours
cp -r "$source_dir/kernels" data

cat >data/tours/tile.tour <<'END'
title What a tile is for
m 1
caption naive, radius {radius}
note Greet them.
wait
3 Up
caption shared
claim {sectors:shared} < 0.5 {sectors:naive}: it asks for less
claim {sectors:shared} > {sectors:naive}: it asks for more
claim {occupancy} > 0: it has threads
wait
show line 12
caption the source
note And {variant} for {filter}.
wait
E E E l
spot 50%,50%
caption bars
wait
END
printf 'Upp\n' >data/tours/broken.tour

# ---- the list of a folder ----

"$program" tours --data data >out 2>err
expect 'a broken tour is refused' is $? 1
expect 'it is named' has "$(<err)" "broken.tour:1: unknown key 'Upp'"
expect 'others are listed' is "$(<out)" 'tile  What a tile is for, 4 steps'
"$program" tours >out 2>err
expect 'the own tours are listed' is "$?,$(<err)" 0,
expect 'with titles and steps' has "$(<out)" 'Where the time of a filter goes, '

# on NAME PATTERN…: space, once the step waits for it.
on() {
    until_says tour_waits yes
    key space -- "$@"
}

# ---- by space ----

open a.png --data data --size 640x400 --script data/tours/tile.tour
until_says tour_step '1 of 4' caption 'naive, radius 3' "${exact[@]}"
on tour_step '2 of 4' variant shared radius 4 caption '*✓ it asks for less: *'
until_says caption '*✗ it asks for more: *, not > *– it has threads (no GPU*'
on tour_step '3 of 4' .source true pointed 'line'
on tour_step '4 of 4' .source false .bars true pointed spot caption bars
expect 'notes go to the terminal' is "$(<err)" $'1 of 4: Greet them.\n3 of 4: And shared for mean.'

# ---- back, ahead, and back to the step ----

key I -- tour_step '3 of 4' .source true .bars false
key I I -- tour_step '1 of 4' variant naive radius 3 .source false caption 'naive, radius 3'
key I -- noted "this is the tour's first step"
key O -- tour_step '2 of 4' variant shared radius 4
until_says tour_waits yes
key t -- .heat true caption 'shared*'
key Up Up 1 -- variant naive radius 6 .heat true tour_step '2 of 4' \
    caption 'You have left step 2.*Press 0 to return.'
key 0 -- variant shared radius 4 .heat false tour_step '2 of 4' caption 'shared*'
key k O O -- tour_step '4 of 4' .light true .bars true
key O -- noted "this is the tour's last step" tour_waits yes

# ---- the lists ----

key G -- menu_row '4  bars'
key 2 -- menu_row '2  shared' variant shared
key BackSpace -- menu_row '1  naive, radius 3'  # not the present 4
key Return -- menu_row '' tour_step '1 of 4' variant naive radius 3
key D -- menu_row 'broken cannot be read'
key Return -- noted '*broken.tour:1: *' menu_row ''
key D t i l e -- menu_row 'What a tile is for · 4 steps'
key Escape -- menu_row '' tour_step '1 of 4'

# ---- a saved file ----

key O -- tour_step '2 of 4'
sed -i '2i caption before all\nwait' data/tours/tile.tour
until_says tour_step '3 of 5' caption 'shared*' variant shared radius 4 noted 'tour reloaded'
sed -i 's/^wait/waits/' data/tours/tile.tour
until_says message "*tile.tour:3: unknown key 'waits'*" tour_step '3 of 5'
sed -i 's/^waits/wait/' data/tours/tile.tour
until_says message '' tour_step '3 of 5'
on tour_step '4 of 5'
on tour_step '5 of 5'
on noted 'the tour is over'
key I -- tour_step '5 of 5' .bars true
quit 0 '[1-5] of [45]: .*'

# ---- from a step on, chosen in the window ----

open a.png --data data --size 640x400 --script data/tours/tile.tour --from 4
until_says tour_step '4 of 5' variant shared radius 4 .source true
key Page_Up -- radius 12
key D -- menu_row 'broken*'
key Down Return -- tour_step '1 of 5' caption 'before all' radius 3 .source false
quit 0 '.*'
# The program starts again where the driver has caught it: in the present settings, at the tour's step.
sides='[{"filter": "mean", "variant": "naive", "params": {"radius": 9}, "block": null, "unroll": false}]'
printf 'tilescope restart\n{"format": 1, "sides": %s}\n' "$sides" >resume
open a.png --data data --size 640x400 --resume resume --script data/tours/tile.tour --from 3
until_says tour_step '3 of 5' tour_waits yes caption 'shared*' variant naive radius 9
on tour_step '4 of 5' variant naive radius 9 .source true
key I I -- tour_step '2 of 5' variant naive radius 3 .source false
quit 0 '.*'
# Words are about what the user has chosen, also while a sheet shows one variant after the other.
printf 'm 1\ncaption {variant}: {ms} ms\nwait\n' >sheet.tour
open a.png --data data --size 640x400 --script sheet.tour
until_says tour_waits yes caption 'naive: *' "${settled[@]}"
others=''
names_naive() {
    [[ $(fact caption) == naive:* ]] || others=$(fact caption)
    has_new_shot 0
}
press S
wait_for 'a sheet' names_naive
expect 'the caption stays the variant that was chosen' is "$others" ''
quit
# A caption goes with its kernel: it would have the next one's figures.
printf 'm 1\ncaption {variant}\nwait\nl\nwait 600\n3\nwait 600\ncaption next\nwait\n' >gone.tour
open a.png --data data --size 640x400 --script gone.tour
until_says tour_step '1 of 2' tour_waits yes caption naive
key space -- tour_step '2 of 2' .bars true caption naive
key space -- variant shared caption ''
key space -- tour_waits yes caption next
quit
# Words keep the figures that they were written for, whatever keys follow in their step.
printf 'm 1\ncaption {variant} {radius}\n3 Up\nwait\ncaption {variant}\nwait\n' >before.tour
open a.png --data data --size 800x600 --script before.tour
until_says tour_step '1 of 2' tour_waits yes variant shared radius 4 caption 'naive 3'
on tour_step '2 of 2' tour_waits yes caption shared
key I -- tour_step '1 of 2' variant shared caption 'naive 3'
# A saved kernel does not undo that the user has left the step.
key 1 -- variant naive caption 'You have left step 1.*Press 0 to return.'
echo '// saved' >>data/kernels/filters/mean.cu
until_says noted 'kernels reloaded' caption 'You have left step 1.*Press 0 to return.'
key 0 -- variant shared radius 4 caption 'naive 3'
quit
# Steps of the lens wait until there is a block to step through.
printf 'caption before\nwait\nm 1 M j\ncaption the store\nwait\nUp\ncaption larger\nwait\n' >lens.tour
open a.png --data data --size 640x400 --script lens.tour --from 2
until_says tour_step '2 of 3' lens_request 'global store*'
# Where the lens stood belongs to the step, too.
key semicolon apostrophe -- lens_where 'warp 1 of 8*'
key 0 -- tour_step '2 of 3' lens_where 'warp 0 of 8*' lens_request 'global store*'
on tour_step '3 of 3' tour_waits yes radius 4 lens_request 'global store*' lens_stale no
key 3 -- variant shared lens_request 'global store*' lens_stale no
key 0 -- variant naive lens_request 'global store*' lens_stale no
quit
# The tour on banks comes to the broadcast that it is about, also after another lab's lens.
open --size 640x400 --script banks --from 8
until_says tour_step '8 of 9' tour_waits yes lens_request 'shared load*' lens_stale no
# And to the column after it, on the way and at once.
on tour_step '9 of 9' tour_waits yes lens_request 'shared load*' lens_stale no
quit
for at in 4 9; do
    open --size 640x400 --script banks --from $at
    until_says tour_step "$at of 9" tour_waits yes lens_request 'shared load*' lens_stale no
    quit
done
# A tour finds by typing what has no key.
printf '/ s o f t m a x Return 2\ncaption {device}: typed\nwait\n' >typed.tour
open --data data --size 640x400 --script typed.tour
until_says tour_waits yes caption '*: typed' filter softmax variant block menu_row ''
key G -- menu_row '*: typed'
key Escape -- menu_row ''
quit 0 '.*'

# What a tour shows is seen, whether the lens has the window or not.
printf 'K 1 M j j Up\ncaption two\nshow lens full\nwait\ncaption bars\nshow bars\nwait\ncaption full
show lens full\nwait\ncaption dock\nshow lens\nwait\ncaption closed\nM M\nshow lens full\nwait\n' >full.tour
printf 'caption map\nshow sharing\nwait\ncaption shut\n& & & M M\nshow sharing\nwait\n' >>full.tour
open --data data --size 640x400 --script full.tour
until_says tour_step '1 of 7' .lens_full true lens_rows '2 of 2, 2 alike' caption two \
    lens_request '*2 wavefronts, 1 of them a bank conflict'
on tour_step '2 of 7' .lens_full false .lens true .bars true pointed panel
on tour_step '3 of 7' .lens_full true .bars true
on tour_step '4 of 7' .lens_full false .lens true pointed dock
on tour_step '5 of 7' .lens_full true
on tour_step '6 of 7' .lens_full false .lens true .sector_requests true legend 'untouched … *'
on tour_step '7 of 7' .lens true .sector_requests true
key I I -- tour_step '5 of 7' .lens_full true .sector_requests false
key I -- tour_step '4 of 7' .lens_full false .lens true
quit
# Keys of a tour are meant: none asks to be pressed again. Back and on again is as it was.
"$probe" noise large.png 640 480 rgb 2
printf 'm Up Up\npause settled\ne\ncaption inverted\npause settled\nwait\nm PgUp PgUp PgUp PgUp PgUp PgUp PgUp
caption large\nwait\n' >large.tour
open large.png --data data --size 320x240 --radius 0 --script large.tour
until_says tour_step '1 of 2' filter invert "${settled[@]}"
on tour_step '2 of 2' filter mean radius 58 caption large
key I -- tour_step '1 of 2' filter invert
on tour_step '2 of 2' filter mean radius 58 caption large
quit
# A baseline's time is waited for, even in a hurry. What can never be settled is not, nor are its times.
printf 'm 3 P Up\nwait\nspace Up\ncaption frozen {ms} {ms:naive}\npause settled\nUp\nwait\n' >pin.tour
open a.png --script pin.tour --from 2
until_says tour_step '2 of 2' variant shared radius 6 baseline 'mean shared *' tour_waits yes
key 0 -- radius 6 baseline 'mean shared *'
quit
# A list of steps that becomes shorter while it is open. The tour began with a filter that has gone,
# so that the list is not closed.
printf 'm\nwait\nUp\ncaption one\nwait\ncaption two\nwait\n' >short.tour
open a.png --data data --size 640x400 --filter threshold --script short.tour
until_says tour_step '1 of 3' tour_waits yes filter mean "${exact[@]}"
rm data/kernels/filters/threshold.cu
until_says noted 'kernels reloaded'
key G Down Down -- menu_row '3  two'
printf 'm\ncaption only\nwait\n' >short.tour
until_says tour_step '1 of 1' menu_row '1  only'
press Escape q
has_ended 0
"$program" view a.png --script data/tours/tile.tour --from 6 >out 2>err
expect 'a step that is not there is refused' is "$?,$(<err)" "1,tilescope: .*steps 1 to 5, not '6'"
finish
