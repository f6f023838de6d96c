"""The icons: an SVG path of 64 x 64 for each node type, and the colour of each category. A node without a drawing has its letters."""

COLORS = {"Hair": "#8a5a3c", "Liquid": "#2f7fb5", "Solvers": "#3a8f6d", "Surface": "#5a6fc0", "Files": "#6b6b75",
          "Geometry": "#8c7a3a"}
OTHER = "#777777"

_DROP = "M32 14 C40 26 46 33 46 40 A14 14 0 0 1 18 40 C18 33 24 26 32 14 Z"
_HAIRS = "M18 52 C16 36 20 24 18 12 M27 52 C25 36 30 24 28 12 M36 52 C34 36 40 24 38 12 M45 52 C43 36 49 24 47 12"
_BOX = "M32 10 L52 20 V44 L32 54 L12 44 V20 Z M12 20 L32 30 L52 20 M32 30 V54"

GLYPHS = {
    "groom": _HAIRS,
    "deform": "M12 46 C24 30 40 30 52 46 M20 38 C18 28 22 20 20 12 M32 34 C30 26 34 18 32 10 M44 38 C42 28 46 20 44 12",
    "guides": "M16 52 V14 M26 52 V40 M32 52 V14 M40 52 V40 M48 52 V14",
    "transfer": "M12 52 V20 M22 52 V20 M30 36 H46 M40 30 L46 36 L40 42 M52 52 V14",
    "material": "M32 12 A20 20 0 1 0 32 52 A20 20 0 1 0 32 12 M22 28 A14 14 0 0 1 36 20",
    "wetness": _DROP + " M25 40 A7 7 0 0 0 32 47",
    "fill": "M14 18 V50 H50 V18 M14 32 C22 26 28 38 36 32 C42 28 46 32 50 32",
    "source": "M20 12 H44 M32 12 V22 M32 26 C38 34 41 39 41 44 A9 9 0 0 1 23 44 C23 39 26 34 32 26 Z",
    "collider": "M32 14 A18 18 0 1 0 32 50 A18 18 0 1 0 32 14 M10 56 L22 44 M54 56 L42 44",
    "strandsolver": _HAIRS + " M12 56 H52",
    "liquidsolver": "M10 28 C18 20 26 36 34 28 C42 20 48 34 54 28 M10 42 C18 34 26 50 34 42 C42 34 48 48 54 42",
    "filmsolver": "M24 54 V10 M24 20 C36 24 38 32 30 38 C26 42 24 46 24 50 M44 54 V10",
    "wetsolver": "M20 54 C16 38 22 24 18 10 M46 54 C50 38 44 24 48 10 "
                 "M32 20 C38 30 42 35 42 40 A10 10 0 0 1 22 40 C22 35 26 30 32 20 Z",
    "lookdevsolver": "M32 52 C14 48 14 40 32 38 C50 36 50 28 32 26 C14 24 14 16 32 12 M44 44 L54 52 L44 60 Z",
    "continuumsolver": "M14 12 C10 28 18 40 12 54 M26 12 C22 28 30 40 26 54 M38 12 C42 28 34 40 38 54 M50 12 C54 28 46 40 52 54 M8 34 H56",
    "interfacesolver": "M10 50 H54 M18 50 C12 34 22 22 32 22 C42 22 52 34 46 50 M32 8 V14",
    "surface": "M10 44 C18 24 26 24 32 36 C38 48 48 44 54 24 M10 54 H54",
    "file": "M18 10 H38 L48 20 V54 H18 Z M38 10 V20 H48",
    "filecache": "M18 10 H38 L48 20 V54 H18 Z M33 26 V44 M25 37 L33 45 L41 37",
    "sphere": "M32 12 A20 20 0 1 0 32 52 A20 20 0 1 0 32 12 M12 32 C20 40 44 40 52 32 M32 12 C22 24 22 40 32 52",
    "box": _BOX,
    "grid": "M12 12 H52 V52 H12 Z M25 12 V52 M39 12 V52 M12 25 H52 M12 39 H52",
    "tube": "M16 18 A16 6 0 1 0 48 18 A16 6 0 1 0 16 18 M16 18 V46 A16 6 0 0 0 48 46 V18",
    "bust": "M32 10 A12 14 0 0 1 32 40 A12 14 0 0 1 32 10 M26 38 V44 C14 46 12 50 12 54 H52 C52 50 50 46 38 44 V38",
    "curve": "M12 48 C20 10 40 56 52 16 M10 48 H14 M50 16 H54",
    "merge": "M14 12 L32 32 L50 12 M32 32 V54",
    "transform": "M32 10 V54 M10 32 H54 M26 16 L32 10 L38 16 M48 26 L54 32 L48 38 M26 48 L32 54 L38 48 M16 26 L10 32 L16 38",
    "attribute": "M12 18 H52 M12 32 H52 M12 46 H52 M24 12 V24 M40 26 V38 M20 40 V52",
    "group": "M12 20 H38 V46 H12 Z M26 14 H52 V40 H38",
    "blast": "M14 14 L50 50 M50 14 L14 50",
    "light": "M32 10 A14 14 0 0 0 24 36 V42 H40 V36 A14 14 0 0 0 32 10 M25 48 H39 M28 54 H36",
    "lookmaterial": "M32 12 A20 20 0 1 0 32 52 A20 20 0 1 0 32 12 M22 28 C24 21 30 19 36 20 M20 44 L44 20",
    "camera": "M10 22 H38 V44 H10 Z M38 30 L54 22 V44 L38 36",
}


def icon(type, category):
    """The icon of a node type as SVG: white strokes on a coloured field."""
    shape = '<path d="%s" fill="none" stroke="#ffffff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>' % GLYPHS[type] \
        if type in GLYPHS else '<text x="32" y="42" font-size="18" text-anchor="middle" fill="#ffffff">%s</text>' % type[:6]
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">\n'
            '  <rect x="2" y="2" width="60" height="60" rx="12" fill="%s"/>\n'
            '  %s\n'
            '</svg>\n' % (COLORS.get(category, OTHER), shape))
