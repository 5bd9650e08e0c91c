// test_fonts -- letters of scripts that lecturers write in are drawn as letters, not as boxes with
// their numbers. Which fonts there are is the machine's affair: ./check installs them.
#include "unit.h"

#include "draw/paint.h"

static const struct {
    const char *language, *text;
} samples[] = {
    {"ko", "교실 그림.png 공유 메모리 읽기 쉬운 한글 뷁"},
    {"ja", "画像の平滑化.png 共有メモリ カタカナ ひらがな"},
    {"de", "Größe × Maß – „äöü“ · … ≤ →"},
};

static bool has_font_for(const char *language)
{
    g_autofree char *command = g_strdup_printf("fc-list :lang=%s family", language), *said = NULL;
    const bool has_run = g_spawn_command_line_sync(command, &said, NULL, NULL, NULL);
    return has_run && said && *said;
}

static int count_boxes(const char *text, struct paint_font font)
{
    PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    PangoLayout *layout = paint_text_create(context);
    paint_text_set(layout, text, font);
    const int count = pango_layout_get_unknown_glyphs_count(layout);
    assert_true(paint_text_width(layout) > font.size);
    g_object_unref(layout);
    g_object_unref(context);
    return count;
}

TEST(letters_are_drawn)
{
    static const struct paint_font fonts[] = {
        {40, PAINT_NORMAL, false}, {40, PAINT_BOLD, false}, {20, PAINT_NORMAL, true}};
    int skipped = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        if (!has_font_for(samples[i].language)) {
            print_message("skipped: no font for %s (./check installs one)\n", samples[i].language);
            skipped++;
            continue;
        }
        for (size_t k = 0; k < G_N_ELEMENTS(fonts); k++)
            assert_int_equal(count_boxes(samples[i].text, fonts[k]), 0);
    }
    if (skipped == (int)G_N_ELEMENTS(samples)) skip();
}

// A claim's "1 wavefront" is not broken, and code is not touched.
TEST(a_number_stays_with_its_noun)
{
    static const char text[] = "no conflicts: 1 wavefront", before[] = "no conflicts: ";
    PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    PangoLayout *layout = paint_text_create(context);
    for (int is_code = 0; is_code < 2; is_code++) {
        const struct paint_font font = {.size = 40, .is_fixed = is_code};
        paint_text_set(layout, "no conflicts: 1 w", font);
        paint_text_wrap(layout, text, font, paint_text_width(layout));
        assert_int_equal(pango_layout_get_line_count(layout), 2);
        assert_int_equal(pango_layout_get_line_readonly(layout, 1)->start_index,
                         strlen(before) + (is_code ? strlen("1 ") : 0));
    }
    g_object_unref(layout);
    g_object_unref(context);
}

// The count that is relied on above: no font has these.
TEST(unknown_letters_are_noticed)
{
    assert_int_equal(count_boxes("a\xf3\xbf\xbf\xb0z", (struct paint_font){.size = 40}), 1);
}
