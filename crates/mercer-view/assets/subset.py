"""Makes Mercer Sans, the font of the PNG renderer, from DejaVu Sans.

python subset.py DejaVuSans.ttf mercer-sans.ttf
python subset.py DejaVuSans-Bold.ttf mercer-sans-bold.ttf
"""

import sys

from fontTools import subset
from fontTools.ttLib import TTFont

RANGES = [
    (0x0020, 0x007E),  # ASCII
    (0x00A0, 0x00FF),  # Latin-1
    (0x0370, 0x03FF),  # Greek
    (0x2010, 0x2016),  # dashes and the norm bar
    (0x2018, 0x201E),  # quotation marks
    (0x2070, 0x209C),  # superscripts and subscripts
]
SINGLES = "ıŒœŠšᵀᵢᵣ•…′″€ℂℕℝ←↑→↓↔∀∂∃∅∇∈∏∑−∘√∝∞∥∧∨∩∪∫≈≠≤≥⊕⊗⊤⋅✓✗⟨⟩\ufffd"


def main(source, target):
    options = subset.Options()
    options.layout_features = ["kern"]
    options.legacy_kern = False
    options.hinting = False
    options.glyph_names = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.name_languages = [0x409]
    options.drop_tables += ["FFTM", "MATH"]

    font = TTFont(source, recalcTimestamp=False)
    bold = "Bold" in font["name"].getDebugName(2)
    subsetter = subset.Subsetter(options)
    points = [point for low, high in RANGES for point in range(low, high + 1)]
    subsetter.populate(unicodes=points + [ord(letter) for letter in SINGLES])
    subsetter.subset(font)

    style = "Bold" if bold else "Regular"
    names = {
        1: "Mercer Sans",
        2: style,
        3: f"Mercer Sans {style}, a subset of DejaVu Sans 2.37",
        4: f"Mercer Sans {style}",
        6: f"MercerSans-{style}",
    }
    for record in font["name"].names:
        if record.nameID in names:
            record.string = names[record.nameID]
    font.save(target)


main(*sys.argv[1:])
