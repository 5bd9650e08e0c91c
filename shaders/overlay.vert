#version 330 core

// The whole window.
out vec2 at;

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    at = corner;
    gl_Position = vec4((corner * 2.0 - 1.0) * vec2(1.0, -1.0), 0.0, 1.0);
}
