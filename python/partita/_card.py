"""A result in a notebook: the answer in words, and who is together with whom as a small picture."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any

import numpy as np

#: From paper to ink.
_RAMP = np.array([[255, 255, 255], [198, 219, 239], [107, 174, 214], [33, 113, 181], [8, 48, 107]], dtype=float)


def png(pixels: np.ndarray) -> bytes:
    """An image of (height, width, 3) bytes as a PNG file."""
    height, width, _ = pixels.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def heat_map(matrix: np.ndarray, most: int = 240) -> bytes:
    """Probabilities as a picture of at most so many pixels a side."""
    step = -(-len(matrix) // most)
    values = np.clip(matrix[::step, ::step], 0.0, 1.0)
    at = values * (len(_RAMP) - 1)
    low = np.minimum(at.astype(int), len(_RAMP) - 2)
    share = (at - low)[..., None]
    return png((_RAMP[low] * (1 - share) + _RAMP[low + 1] * share).round().astype(np.uint8))


def card(result: Any) -> str:
    """The card of a result."""
    page = result._page
    sentences = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in page["answer"])
    notes = "".join(f"<li><em>{html.escape(note)}</em></li>" for note in result.notes)
    found, picture = result._found, ""
    if page["co_clustering"]:
        shown = page["co_clustering"]
        side = len(shown["names"])
        image = base64.b64encode(heat_map(np.array(shown["matrix"]).reshape(side, side))).decode()
        picture = (
            '<figure style="margin:0"><img alt="co-clustering" '
            'style="width:200px;height:200px;image-rendering:pixelated;border:1px solid #bbb" '
            f'src="data:image/png;base64,{image}"><figcaption style="font-size:85%">who is together with whom'
            "</figcaption></figure>"
        )
    return (
        '<div style="display:flex;gap:1.5em;align-items:flex-start;max-width:60em">'
        f"<div><strong>{html.escape(page['title'])}</strong><ul>{sentences}{notes}</ul>"
        f'<div style="font-size:85%;color:#666">{found["replicates"]} replicates in {found["seconds"]:.1f} s, '
        f"{found['censored']} censored; seed {found['seed']}</div></div>{picture}</div>"
    )
