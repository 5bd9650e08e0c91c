#include "shader.h"

#include <GL/glew.h>
#include <glib.h>

static GLuint compile(GLenum kind, const char *path, struct error *err)
{
    char *text = NULL, log[2048] = "";
    if (!g_file_get_contents(path, &text, NULL, NULL)) {
        error_set(err, "cannot read the shader '%s'", path);
        return 0;
    }
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, (const GLchar *const *)&text, NULL);
    glCompileShader(shader);
    g_free(text);

    GLint is_good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    if (is_good) return shader;
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    error_set(err, "%s: %s", path, log);
    glDeleteShader(shader);
    return 0;
}

static bool link_program(GLuint program, const char *path, struct error *err)
{
    GLint is_good = 0;
    char log[2048] = "";
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &is_good);
    if (is_good) return true;
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    return error_set(err, "%s: %s", path, log);
}

unsigned int shader_load(const char *vertex_path, const char *fragment_path, struct error *err)
{
    const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_path, err);
    const GLuint fragment = vertex ? compile(GL_FRAGMENT_SHADER, fragment_path, err) : 0;
    GLuint program = 0;
    if (fragment) {
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        if (!link_program(program, fragment_path, err)) {
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    return program;
}
