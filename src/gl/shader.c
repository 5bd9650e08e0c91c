#include "gl/shader.h"

#include <GL/glew.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

// ---- the compiler's log ----

// "0:12(5): error: ..." (Mesa), "0(12) : error C0000: ..." (NVIDIA), "ERROR: 0:12: ..." (others):
// the line's number, perhaps with a column, and what follows it.
static const char numbered[] = "(?:ERROR: )?\\d+[:(]([1-9]\\d{0,8})(?:\\([^)]*)?[): ]*(.*)";

// Rewrites the log as a C compiler would: file and line first, and the source's line below.
//
//     image.frag:12: error: `vec5' undeclared
//        12 | vec5 colour;
static void explain(const char *path, const char *source, const char *log, struct error *err)
{
    g_autofree char *name = g_path_get_basename(path);
    g_auto(GStrv) log_lines = g_strsplit(log, "\n", -1), lines = g_strsplit(source, "\n", -1);
    g_autoptr(GString) text = g_string_new(NULL);
    for (char **line = log_lines; *line; line++) {
        if (!**line) continue;
        g_auto(GStrv) parts = text_match(numbered, *line);  // the number, the rest
        if (text->len) g_string_append_c(text, '\n');
        if (parts)
            g_string_append_printf(text, "%s:%s: %s", name, parts[0], parts[1]);
        else
            g_string_append_printf(text, "%s: %s", name, *line);
        const guint number = parts ? (guint)atoi(parts[0]) : 0;
        if (number && number <= g_strv_length(lines))
            g_string_append_printf(text, "\n%5u | %s", number, lines[number - 1]);
    }
    error_set_log(err, text->len ? text->str : path);
}

// ---- compiling ----

static GLuint compile(GLenum kind, const char *path, const char *word, struct error *err)
{
    char log[2048] = "";
    g_autofree char *text = file_read_text(path, err);
    if (!text) return 0;
    GLuint shader = glCreateShader(kind);
    // The first line, which says the version, must remain the first.
    const size_t first = strcspn(text, "\n");
    g_autofree char *define =
        word ? g_strdup_printf("\n#define %s\n#line 2\n", word) : g_strdup("\n");
    const char *const parts[] = {text, define, text + first + (text[first] == '\n')};
    const GLint lengths[] = {(GLint)first, -1, -1};
    glShaderSource(shader, G_N_ELEMENTS(parts), parts, lengths);
    glCompileShader(shader);

    GLint is_good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    if (!is_good) {
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        explain(path, text, log, err);
        glDeleteShader(shader);
        shader = 0;
    }
    return shader;
}

unsigned int shader_load(const char *folder, const char *name, const char *word, struct error *err)
{
    g_autofree char *vertex_path = g_strdup_printf("%s/%s.vert", folder, name);
    g_autofree char *fragment_path = g_strdup_printf("%s/%s.frag", folder, name);
    const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_path, NULL, err);
    const GLuint fragment = vertex ? compile(GL_FRAGMENT_SHADER, fragment_path, word, err) : 0;
    GLuint program = 0;
    if (fragment) {
        GLint is_good = 0;
        char log[2048] = "";
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &is_good);
        if (!is_good) {
            glGetProgramInfoLog(program, sizeof log, NULL, log);
            error_set_log(err, log);
            error_prefix(err, "%s: does not link: ", fragment_path);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    return program;
}
