"""A program of its own that reads a picture: base64 on stdin, what it is and its pixels on stdout.

What a server sent as a picture is decoded nowhere else. Here a picture of a hundred thousand pixels
a side, or the fault of a decoder, ends this process; the console says so and goes on. It is
started by its path and loads nothing of the house.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import sys
import warnings
from typing import Final

FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""What is decoded, whatever the server calls it: the kinds that are met, by well-tried decoders."""
MOST_PIXELS: Final = 50_000_000
MOST_BYTES: Final = 1 << 30
"""Of memory."""
MOST_SECONDS: Final = 8
"""Of the processor's time."""


def main(width: int, height: int, ground: str) -> None:
    """Write a line with format, width and height as they are; one with both as they are drawn.

    Then come the pixels, three bytes each, top row first; they fit into `width` by `height`, and
    what is transparent stands on `ground`, as `#rrggbb`. What cannot be read ends the output where
    that was found; a picture with too many pixels has the first line alone.
    """
    _limit()
    warnings.simplefilter("ignore")
    from PIL import Image, ImageFile, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # How many there are is asked here, before any is decoded.
    data = base64.b64decode(sys.stdin.buffer.read())
    # A wrong checksum of what is no part of the pixels, such as a note, hides no picture; pixels
    # that are cut off or torn do.
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    picture: Image.Image = Image.open(io.BytesIO(data), formats=FORMATS)
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    _say(picture.format, picture.width, picture.height)
    if picture.width * picture.height > MOST_PIXELS:
        return
    picture.draft("RGB", (width, height))
    picture = ImageOps.exif_transpose(picture).convert("RGBA")
    picture.thumbnail((width, height))
    below = Image.new("RGBA", picture.size, ground)
    pixels = Image.alpha_composite(below, picture).convert("RGB").tobytes()
    _say(*picture.size)
    sys.stdout.buffer.write(pixels)


def _say(*parts: object) -> None:
    sys.stdout.buffer.write(json.dumps(parts).encode() + b"\n")
    sys.stdout.buffer.flush()


def _limit() -> None:
    """Bound memory and time, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
