#version 330 core

// Text and panels, premultiplied; one texel a pixel.
uniform sampler2D overlay;
in vec2 at;
out vec4 colour;

void main()
{
    colour = texture(overlay, at);
}
