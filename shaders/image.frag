#version 330 core

// The picture: one layer a plane, grey or red, green, blue.
uniform sampler2DArray planes;
uniform int plane_count;
in vec2 at;
out vec4 colour;

void main()
{
    float red = texture(planes, vec3(at, 0.0)).r;
    if (plane_count == 1)
        colour = vec4(red, red, red, 1.0);
    else
        colour = vec4(red, texture(planes, vec3(at, 1.0)).r, texture(planes, vec3(at, 2.0)).r, 1.0);
}
