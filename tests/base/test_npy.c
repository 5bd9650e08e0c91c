// Heads of .npy files: what NumPy writes is read, what it would not read is refused.
#include "unit.h"

#include "base/npy.h"

#define PREFIX "\x93NUMPY"
#define NAMES  "{'descr': '<i4', 'fortran_order': False, 'shape': "

static FILE *bytes_of(const char *bytes, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fwrite(bytes, 1, size, file);
    rewind(file);
    return file;
}

// A file with that text behind the magic, the version and the text's length.
static FILE *file_of(const char *text, size_t length, size_t promised)
{
    g_autoptr(GString) all = g_string_new(PREFIX "\1");
    g_string_append_len(all, (const char[]){0, (char)(promised & 255), (char)(promised >> 8)}, 3);
    g_string_append_len(all, text, (gssize)length);
    g_string_append(all, "elements");
    return bytes_of(all->str, all->len);
}

static bool read_head(struct npy *head, const char *text)
{
    FILE *file = file_of(text, strlen(text), strlen(text));
    const bool is_read = npy_read(head, file, &err);
    if (is_read) assert_int_equal(fgetc(file), 'e');
    fclose(file);
    return is_read;
}

TEST(heads_are_read)
{
    static const struct {
        const char *text;
        struct npy head;
    } rows[] = {
        {NAMES "(), }", {"<i4", 0, {0}}},
        {NAMES "(5,), }          \n", {"<i4", 1, {5}}},
        {NAMES "(2, 3), }", {"<i4", 2, {2, 3}}},
        {NAMES "(2,3,)}", {"<i4", 2, {2, 3}}},
        {NAMES "(0,)}", {"<i4", 1, {0}}},
        {NAMES "(9223372036854775807,)}", {"<i4", 1, {9223372036854775807}}},
        {NAMES "(1, 2, 3, 4, 5, 6, 7, 8)}", {"<i4", 8, {1, 2, 3, 4, 5, 6, 7, 8}}},
        {"{\"shape\":(7,),\"descr\":\"|u1\",\"fortran_order\":False}", {"|u1", 1, {7}}},
        {" { 'shape' : ( 7 , ) , 'fortran_order' : False , 'descr' : '>f8' , } ", {">f8", 1, {7}}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct npy head = {.dimensions = -1};
        if (!read_head(&head, rows[i].text)) fail_msg("%s: %s", rows[i].text, err.text);
        assert_string_equal(head.type, rows[i].head.type);
        assert_int_equal(head.dimensions, rows[i].head.dimensions);
        assert_memory_equal(head.shape, rows[i].head.shape, sizeof head.shape);
    }
}

TEST(other_heads_are_refused)
{
    static const char strange[] = "its head is not one of NumPy's";
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", strange},
        {"{}", strange},
        {"{'descr': '<i4', 'fortran_order': False}", strange},
        {NAMES "(5,)", strange},
        {NAMES "(5,)} x", strange},
        {NAMES "(5,), 'shape': (5,)}", strange},
        {NAMES "(5,), 'more': 1}", strange},
        {NAMES "(5,) 'more': 1}", strange},
        {NAMES "(5)}", strange},
        {NAMES "(5 6)}", strange},
        {NAMES "(-5,)}", strange},
        {NAMES "(5.0,)}", strange},
        {NAMES "(,)}", strange},
        {NAMES "(5,", strange},
        {NAMES "5}", strange},
        {NAMES "(9223372036854775808,)}", strange},
        {NAMES "(1,1,1,1,1,1,1,1,1)}", "it has more than 8 dimensions"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (5,)}",
         "its elements are records"},
        {"{'descr': '<i4, 'fortran_order': False, 'shape': (5,)}",
         "the type of its elements is not a number's"},
        {"{'descr': '<i4'fortran_order': False, 'shape': (5,)}", strange},
        {"{'descr': '<i4", strange},
        {"{'descr': <i4, 'fortran_order': False, 'shape': (5,)}", strange},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (5,)}",
         "the type of its elements is not a number's"},
        {"{'descr': '<i444444444', 'fortran_order': False, 'shape': (5,)}",
         "the type of its elements is not a number's"},
        {"{'descr': '<i4', 'fortran_order': True, 'shape': (5,)}",
         "its elements lie in Fortran's order, not C's"},
        {"{'descr': '<i4', 'fortran_order': 0, 'shape': (5,)}", strange},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct npy head = {.dimensions = -1};
        err.text[0] = '\0';
        if (read_head(&head, rows[i].text)) fail_msg("'%s' is read", rows[i].text);
        assert_string_equal(err.text, rows[i].message);
        assert_int_equal(head.dimensions, -1);
    }
}

static void expect_refusal(FILE *file, const char *message)
{
    struct npy head;
    err.text[0] = '\0';
    assert_false(npy_read(&head, file, &err));
    assert_string_equal(err.text, message);
    fclose(file);
}

TEST(other_files_are_refused)
{
    static const char text[] = NAMES "(5,)}";
    expect_refusal(bytes_of("", 0), "it is not a .npy file");
    expect_refusal(bytes_of(PREFIX, 5), "it is not a .npy file");
    expect_refusal(bytes_of("PK\3\4 and more of it", 18), "it is not a .npy file");
    expect_refusal(bytes_of(PREFIX "\1\0\1", 9), "it ends within its head");
    expect_refusal(bytes_of(PREFIX "\2\0\1\0\0\0", 12),
                   "it has version 2.0 of the format, not 1.0");
    expect_refusal(bytes_of(PREFIX "\1\1\1\0\0\0", 12),
                   "it has version 1.1 of the format, not 1.0");
    expect_refusal(file_of(text, strlen(text), 65535), "it ends within its head");
    expect_refusal(file_of(text, sizeof text, sizeof text), "its head is not one of NumPy's");
}

TEST(what_is_written_is_read)
{
    static const struct npy heads[] = {
        {"|u1", 1, {1}},
        {"<f4", 2, {32768, 16384}},
        {"<i4", 0, {0}},
        {"<u4",
         8,
         {G_MAXINT64, G_MAXINT64, G_MAXINT64, G_MAXINT64, G_MAXINT64, G_MAXINT64, G_MAXINT64,
          G_MAXINT64}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
        struct npy head = {.dimensions = -1};
        FILE *file = tmpfile();
        assert_true(npy_write(&heads[i], file, &err));
        assert_int_equal(ftell(file) % 64, 0);
        rewind(file);
        must(npy_read(&head, file, &err));
        assert_memory_equal(&head, &heads[i], sizeof head);
        fseek(file, -1, SEEK_CUR);
        assert_int_equal(fgetc(file), '\n');
        fclose(file);
    }
}

TEST(shapes_in_words)
{
    char text[NPY_SHAPE];
    npy_write_shape(&(struct npy){"<i4", 0, {0}}, text);
    assert_string_equal(text, "()");
    npy_write_shape(&(struct npy){"<i4", 1, {5}}, text);
    assert_string_equal(text, "(5,)");
    npy_write_shape(&(struct npy){"<i4", 3, {2, 3, 4}}, text);
    assert_string_equal(text, "(2, 3, 4)");
}
