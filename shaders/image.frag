#version 330 core

// The scene: the picture's layers and what is drawn into them, one fragment a window pixel.
//
// A point is in window pixels, top left first; a cell is a pixel of the picture, and may lie
// outside of it. From bottom to top: picture, values, dimming, grid, tile, block, divider.
//
// PLAIN is defined where there are no values, no grid and no difference; LARGE, where there is also
// but one picture, in layer_a, none of whose pixels is smaller than the window's.
#ifdef LARGE
#define PLAIN
#endif

const int GREY = 0, RAMP = 1;  // color_map
const int ONE = 0, SPLIT = 1, DIFFERENCE = 2;  // display_mode

// Layers A and B: a plane each for grey, or red, green, blue. digits: ten masks.
// maps: a row of 256 colours for each map, red, green and blue.
uniform sampler2DArray layer_a, layer_b, digits, maps, counts_a, counts_b;

// In the order of struct scene in display.c.
layout(std140) uniform scene {
    vec2 window;       // its size
    vec2 origin_at;    // the point where the cell `origin` starts,
    vec2 pixel;        // and the size of every cell, in window pixels
    vec2 divider_rows; // from where to where the divider is seen
    ivec2 origin;      // the cell from which is counted
    ivec2 has_picture; // of A, of B
    ivec2 map;         // of A, of B, where they are grey
    ivec2 has_counts;  // that are shown in place of A, of B
    ivec2 block;       // in cells; 0: no grid
    ivec2 cursor;      // the block under it, counted from 0; -1: none
    float unit;        // thickness of a line: 1 on 1080 rows, 2 on 2160
    float divider;     // between left and right
    float gain;        // of the difference
    int mode, layer;   // layer: which; in mode SPLIT the one on the left
    bool has_values;
    int halo;          // cells around that block
};

out vec4 colour;

const vec3 AMBER = vec3(1.0, 0.76, 0.29);
const vec3 DARK = vec3(0.04, 0.06, 0.08);
const vec3 LIGHT = vec3(0.97, 0.98, 0.99);

// ---- where ----

vec2 in_cells(vec2 point)
{
    return (point - origin_at) / pixel;
}

ivec2 cell_at(vec2 point)
{
    return origin + ivec2(floor(in_cells(point)));
}

// Where a cell starts, on a whole window pixel.
vec2 start_of(ivec2 cell)
{
    return floor(origin_at + vec2(cell - origin) * pixel + 0.5);
}

bool is_inside(ivec2 cell)
{
    return all(greaterThanEqual(cell, ivec2(0))) &&
           all(lessThan(cell, textureSize(layer_a, 0).xy));
}

int plane_count()
{
    return textureSize(layer_a, 0).z;
}

// ---- picture ----

// In place of an index that is computed, which takes OpenGL in software longer than a sample.
vec3 in_plane(int plane, float value)
{
    return value * vec3(plane == 0, plane == 1, plane == 2);
}

// Single pixels where they are large enough to be seen, else the mean of those that share a window
// pixel.
vec3 sample_planes(sampler2DArray picture, vec2 point)
{
    vec3 found = vec3(0.0);
    ivec2 size = textureSize(picture, 0).xy;
    vec2 at = (vec2(origin) + in_cells(point)) / vec2(size);
    for (int plane = 0; plane < plane_count(); plane++)
#ifdef LARGE
        found += in_plane(plane, texelFetch(picture, ivec3(cell_at(point), plane), 0).r);
#else
        found += in_plane(plane, pixel.x > 0.999
            ? texelFetch(picture, ivec3(cell_at(point), plane), 0).r
            : textureLod(picture, vec3(at, plane), -log2(pixel.x)).r);
#endif
    return found;
}

vec3 mapped(float grey, int row)
{
    int value = int(grey * 255.0 + 0.5);
    return vec3(texelFetch(maps, ivec3(value, row, 0), 0).r,
                texelFetch(maps, ivec3(value, row, 1), 0).r,
                texelFetch(maps, ivec3(value, row, 2), 0).r);
}

vec3 sample_picture(sampler2DArray picture, vec2 point, int row)
{
    vec3 found = sample_planes(picture, point);
    if (plane_count() > 1) return found;
    return row == GREY ? found.rrr : mapped(found.r, row);
}

// The largest count of the pixels under this one of the window.
vec3 sample_counts(sampler2DArray counts, vec2 point)
{
    ivec2 last = textureSize(counts, 0).xy - 1;
    ivec2 low = clamp(cell_at(point - 0.5), ivec2(0), last);
    ivec2 high = clamp(origin + ivec2(ceil(in_cells(point + 0.5))) - 1, low, last);
    if (pixel.x > 0.999) low = high = clamp(cell_at(point), ivec2(0), last);
    float found = 0.0;
    ivec2 stride = (high - low) / 16 + 1;
    for (int y = low.y; y <= high.y; y += stride.y)
        for (int x = low.x; x <= high.x; x += stride.x)
            found = max(found, texelFetch(counts, ivec3(x, y, 0), 0).r);
    return mapped(found, RAMP);
}

vec3 difference_at(ivec2 cell)
{
    vec3 found = vec3(0.0);
    for (int plane = 0; plane < plane_count(); plane++)
        found += in_plane(plane, abs(texelFetch(layer_a, ivec3(cell, plane), 0).r -
                                     texelFetch(layer_b, ivec3(cell, plane), 0).r));
    return plane_count() == 1 ? found.rrr : found;
}

// The largest of the pixels under this one of the window: a mean would hide a single wrong pixel.
vec3 sample_difference(vec2 point)
{
    ivec2 last = textureSize(layer_a, 0).xy - 1;
    ivec2 low = clamp(cell_at(point - 0.5), ivec2(0), last);
    ivec2 high = clamp(origin + ivec2(ceil(in_cells(point + 0.5))) - 1, low, last);
    if (pixel.x > 0.999) return difference_at(cell_at(point));
    vec3 found = vec3(0.0);
    ivec2 stride = (high - low) / 16 + 1;
    for (int y = low.y; y <= high.y; y += stride.y)
        for (int x = low.x; x <= high.x; x += stride.x)
            found = max(found, difference_at(ivec2(x, y)));
    return found;
}

bool shows_b(vec2 point)
{
    if (mode == SPLIT) return (point.x >= divider) != (layer == 1);
    return mode == ONE && layer == 1;
}

bool shows_counts(vec2 point)
{
    return mode != DIFFERENCE && (shows_b(point) ? has_counts.y : has_counts.x) != 0;
}

bool is_missing(vec2 point)
{
    if (mode == DIFFERENCE) return has_picture.x * has_picture.y == 0;
    return (shows_b(point) ? has_picture.y : has_picture.x) == 0;
}

// 1 on the bars of a diagonal hatch, 0 between.
float hatch(vec2 point)
{
    return step(mod(point.x + point.y, 12.0 * unit), 4.0 * unit);
}

// What the pixel holds, before a difference is amplified.
vec3 value_at(vec2 point)
{
#ifndef PLAIN
    if (mode == DIFFERENCE) return sample_difference(point);
    if (shows_counts(point))
        return shows_b(point) ? sample_counts(counts_b, point) : sample_counts(counts_a, point);
#endif
#ifdef LARGE
    return sample_picture(layer_a, point, shows_b(point) ? map.y : map.x);
#else
    return shows_b(point) ? sample_picture(layer_b, point, map.y)
                          : sample_picture(layer_a, point, map.x);
#endif
}

// In whole numbers, as not every GPU rounds a colour to the nearest one.
vec3 amplified(vec3 value)
{
    return min(floor(value * 255.0 * gain + 0.5) / 255.0, vec3(1.0));
}

vec3 picture_at(vec2 point)
{
    if (!is_inside(cell_at(point))) return vec3(0.0);
    if (is_missing(point)) return mix(vec3(0.10), vec3(0.16), hatch(point));
    return mode == DIFFERENCE ? amplified(value_at(point)) : value_at(point);
}

// ---- values ----

// Ink, 0 ... 1, of a number of that height centred on a point.
float ink_of_number(int number, vec2 from_centre, float height)
{
    ivec2 mask = textureSize(digits, 0).xy;
    vec2 size = vec2(float(mask.x) / float(mask.y), 1.0) * height;
    int count = number > 99 ? 3 : number > 9 ? 2 : 1;
    vec2 at = from_centre / size + vec2(0.5 * float(count), 0.5);
    if (at.y < 0.0 || at.y >= 1.0 || at.x < 0.0 || at.x >= float(count)) return 0.0;
    int place = count - 1 - int(at.x);
    int digit = (place == 2 ? number / 100 : place == 1 ? number / 10 : number) % 10;
    float level = max(0.0, log2(float(mask.y) / height) - 0.5);
    return textureLod(digits, vec3(fract(at.x), at.y, float(digit)), level).r;
}

// Ink of the values of the cell around that point: grey has one, colour red, green, blue below each
// other. The numbers keep the same place on the window's pixels from cell to cell.
float ink_of_values(vec2 point)
{
    vec3 value = value_at(point) * 255.0 + 0.5;
    ivec2 cell = cell_at(point);
    vec2 from_centre = point - floor(0.5 * (start_of(cell) + start_of(cell + 1)));
    float height = floor(pixel.y * (plane_count() == 1 ? 0.39 : 0.27));
    if (plane_count() == 1) return ink_of_number(int(value.r), from_centre, height);
    float row = floor(from_centre.y / height + 1.5);
    if (row < 0.0 || row > 2.0) return 0.0;
    return ink_of_number(int(value[int(row)]), from_centre - vec2(0.0, (row - 1.0) * height),
                         height);
}

// What contrasts more with a colour: the luminance where black and white contrast alike is 0.18.
vec3 ink_on(vec3 under)
{
    float luminance = dot(pow(under, vec3(2.2)), vec3(0.2126, 0.7152, 0.0722));
    return luminance > 0.18 ? vec3(0.0) : vec3(1.0);
}

bool are_values_readable()
{
    return has_values && pixel.x >= (plane_count() == 1 ? 39.999 : 55.999);
}

// The values, and faint lines that keep those of one pixel together.
vec3 with_values(vec3 under, vec2 point)
{
    ivec2 cell = cell_at(point);
    if (!are_values_readable() || shows_counts(point) || !is_inside(cell) || is_missing(point)) return under;
    float line = 0.2 * float(any(notEqual(cell_at(point - unit), cell)));
    return mix(under, ink_on(under), max(line, ink_of_values(point)));
}

// ---- block grid ----

ivec2 block_at(vec2 point)
{
    return ivec2(floor(vec2(cell_at(point)) / vec2(block)));
}

// The last window pixel of a block is dark and the first of the next is light: two and three of them
// where blocks are large, faint ones where they are so small that lines would drown the picture.
vec3 with_grid(vec3 under, vec2 point)
{
    if (!is_inside(cell_at(point))) return under;
    ivec2 here = block_at(point);
    vec2 size = vec2(block) * pixel;
    vec2 strength = clamp((size - 3.0 * unit) / (13.0 * unit), 0.0, 1.0);
    float width = unit * clamp(floor(min(size.x, size.y) / (64.0 * unit)) + 1.0, 1.0, 3.0);
    vec2 is_last = strength * vec2(notEqual(block_at(point + width), here));
    vec2 is_first = strength * vec2(notEqual(block_at(point - width), here));
    is_first *= vec2(greaterThan(cell_at(point - width), ivec2(-1)));  // no line before the picture
    under = mix(under, LIGHT, 0.55 * max(is_first.x, is_first.y));
    return mix(under, DARK, 0.75 * max(is_last.x, is_last.y));
}

// How far outside a rectangle of cells a point is, in window pixels; negative inside.
float outside(ivec2 low, ivec2 high, vec2 point)
{
    vec2 away = max(start_of(low) - point, point - start_of(high));
    return max(away.x, away.y);
}

// Dashes along the rectangle's edge: light and dark in turn, to be seen on anything.
vec3 with_dashes(vec3 under, ivec2 low, ivec2 high, vec2 point)
{
    float away = outside(low, high, point);
    vec2 from = max(start_of(low) - point, point - start_of(high));
    float along = from.x > from.y ? point.y - start_of(low).y : point.x - start_of(low).x;
    bool is_dash = mod(along, 14.0 * unit) < 9.0 * unit;
    if (away > 0.0 && away < 2.0 * unit) return is_dash ? LIGHT : DARK;
    return under;
}

// A block whose own pixels are too few is outlined around them.
vec3 with_outline(vec3 under, ivec2 low, ivec2 high, vec2 point)
{
    vec2 size = start_of(high) - start_of(low);
    float width = min(size.x, size.y) < 24.0 * unit ? 3.0 * unit : 4.0 * unit;
    float away = outside(low, high, point) + (width > 3.0 * unit ? width + unit : 0.0);
    if (away > 0.0 && away < width) return AMBER;
    if (away > -unit && away < width + unit) return DARK;
    return under;
}

// The block under the cursor, the tile it loads, and its threads that have no pixel.
vec3 with_cursor(vec3 under, vec2 point)
{
    ivec2 low = cursor * block, high = low + block;
    if (halo > 0) under = with_dashes(under, low - halo, high + halo, point);
    if (outside(low, high, point) < 0.0 && !is_inside(cell_at(point)))
        under = mix(under, AMBER, 0.35 * hatch(point));
    return with_outline(under, low, high, point);
}

vec3 dimmed(vec3 under, vec2 point)
{
    ivec2 low = cursor * block;
    return outside(low - halo, low + block + halo, point) > 0.0 ? 0.72 * under : under;
}

vec3 with_blocks(vec3 under, vec2 point)
{
    if (any(lessThan(block, ivec2(1)))) return under;
    if (any(lessThan(cursor, ivec2(0)))) return with_grid(under, point);
    return with_cursor(with_grid(dimmed(under, point), point), point);
}

// ---- split ----

vec3 with_divider(vec3 under, vec2 point)
{
    if (mode != SPLIT || point.y < divider_rows.x || point.y >= divider_rows.y) return under;
    float away = abs(point.x - divider);
    return away < unit ? LIGHT : away < 2.0 * unit ? DARK : under;
}

void main()
{
    vec2 point = vec2(gl_FragCoord.x, window.y - gl_FragCoord.y);
    vec3 found = picture_at(point);
#ifndef PLAIN
    found = with_blocks(with_values(found, point), point);
#endif
    colour = vec4(with_divider(found, point), 1.0);
}
