"""Writes opencv.png: a picture and what OpenCV makes of it. README.md says what is where."""
import cv2
import numpy as np

WIDTH, HEIGHT = 48, 40

picture = np.random.default_rng(20240607).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
picture[:20, 24:] = 255  # edges,
picture[20:, 24:] = 0
picture[10:30, 24:30] = 0
y, x = np.mgrid[26:HEIGHT, 30:WIDTH]
picture[26:, 30:] = (x + y) % 2 * 255  # a checkerboard
picture[5, 35] = 0  # and a lone pixel

tiles = [picture]
for radius, sigma in [(1, 0.8), (2, 1.1), (3, 0.6), (4, 1.7), (7, 2.6), (12, 6.0), (16, 5.3), (31, 9.8)]:
    # On bytes OpenCV rounds the weights to 1/256, which for wider kernels costs up to 3 grey levels.
    source = picture if radius <= 4 else picture.astype(np.float32)
    side = 2 * radius + 1
    blurred = cv2.GaussianBlur(source, (side, side), sigma, sigmaY=sigma, borderType=cv2.BORDER_REPLICATE)
    tiles.append(np.rint(blurred).astype(np.uint8))
for radius in [1, 2, 5, 16]:
    side = 2 * radius + 1
    tiles.append(cv2.blur(picture, (side, side), borderType=cv2.BORDER_REPLICATE))
cv2.imwrite("opencv.png", np.vstack(tiles), [cv2.IMWRITE_PNG_COMPRESSION, 9])
