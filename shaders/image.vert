#version 330 core

// A quad from four corner numbers; `place` is its centre and half size in clip space.
uniform vec4 place;
out vec2 at;  // 0 ... 1, top left first

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    at = corner;
    gl_Position = vec4(place.xy + place.zw * (corner * 2.0 - 1.0) * vec2(1.0, -1.0), 0.0, 1.0);
}
