// The sample pictures in assets/ are what the program beside them paints, pixel for pixel.
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/image.h"
#include "pictures.h"

enum { MAX_FILE_BYTES = 2500000 };  // what a picture may weigh in a clone

static void load_asset(struct image *image, const char *path)
{
    struct stat facts;
    must(image_load(image, path, false, &err));
    assert_int_equal(image->planes.width, PICTURE_WIDTH);
    assert_int_equal(image->planes.height, PICTURE_HEIGHT);
    assert_int_equal(image->planes.count, 3);
    assert_int_equal(stat(path, &facts), 0);
    assert_in_range(facts.st_size, 1, MAX_FILE_BYTES);
}

static void assert_painted(const char *path, void (*make)(struct planes to))
{
    OWNED(image_finish) struct image file, painted;
    load_asset(&file, path);
    assert_true(image_init(&painted, PICTURE_WIDTH, PICTURE_HEIGHT, 3, NULL));
    image_fill_noise(painted.planes, 1);  // every pixel is painted
    make(painted.planes);
    const struct image_difference d = image_compare(file.planes, painted.planes);
    if (d.count) {
        fail_msg(
            "%s: %ld samples differ, by %d at most, first at %d, %d; after a change on purpose "
            "run make_pictures",
            path, d.count, d.max, d.x, d.y);
    }
}

TEST(pictures_are_painted)
{
    assert_painted(TILESCOPE_SOURCE_DIR "/assets/scene.png", make_scene);
    assert_painted(TILESCOPE_SOURCE_DIR "/assets/chart.png", make_chart);
}

// Mean step from a pixel to the next, in thousandths: what a blur takes away.
static long detail_of(struct planes v, int plane)
{
    long sum = 0;
    for (int y = 0; y < v.height; y++) {
        const unsigned char *row = planes_row(v, plane, y);
        for (int x = 1; x < v.width; x++) sum += abs(row[x] - row[x - 1]);
    }
    return sum * 1000 / ((long)v.width * v.height);
}

TEST(detail)
{
    OWNED(image_finish) struct image scene, chart;
    load_asset(&scene, TILESCOPE_SOURCE_DIR "/assets/scene.png");
    load_asset(&chart, TILESCOPE_SOURCE_DIR "/assets/chart.png");
    for (int plane = 0; plane < 3; plane++) {
        assert_true(detail_of(scene.planes, plane) > 3000);
        assert_true(detail_of(chart.planes, plane) > 3000);
    }
    assert_true(image_compare(scene.planes, chart.planes).count > 0);
}

// No flip of the chart can be taken for the chart: its four corners have four colours.
TEST(corners)
{
    OWNED(image_finish) struct image chart;
    load_asset(&chart, TILESCOPE_SOURCE_DIR "/assets/chart.png");
    const struct planes v = chart.planes;
    unsigned int colours[4] = {0};
    for (int plane = 0; plane < 3; plane++) {
        for (int i = 0; i < 4; i++) {
            const int y = i / 2 ? v.height - 3 : 2, x = i % 2 ? v.width - 3 : 2;
            colours[i] = colours[i] << 8 | planes_row(v, plane, y)[x];
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) assert_int_not_equal(colours[i], colours[k]);
    }
}
