"""Numbers as artists read and type them."""
import struct

DECIMALS = 6        # the most decimals that a number field of Blender shows
SMALL_RANGE = 0.1   # ranges up to this need all decimals
COMMON_DECIMALS = 4
LARGE = 1000.0      # defaults from this on need no decimals
LARGE_DECIMALS = 1
COUNTABLE = 1e6     # digits of a number from this on are hard to count
# a field that shows less than this many digits of a number, or none, needs a text beside it
LEAST_DIGITS = 2


def single(value):
    """The nearest 32-bit float, which is what a property of Blender stores."""
    return struct.unpack("f", struct.pack("f", value))[0]


def typed(value):
    """The shortest decimal number that a 32-bit property stores as this value: 0.1, not 0.10000000149."""
    for digits in range(1, 10):
        short = float("%.*g" % (digits, value))
        if single(short) == single(value):
            return int(short) if short == int(short) and abs(short) < 2**31 else short
    return float(value)


def decimals(row):
    """Decimals of the number field of a parameter: all of them where its values are small."""
    ends = [row.get("max"), row.get("default")]
    numbers = []
    for end in ends:
        numbers += end if isinstance(end, list) else [end]
    sizes = [abs(number) for number in numbers if isinstance(number, (int, float)) and number]
    if sizes and min(sizes) <= SMALL_RANGE:
        return DECIMALS
    return LARGE_DECIMALS if sizes and min(sizes) >= LARGE else COMMON_DECIMALS


def readable(value, places):
    """Whether a field with so many decimals shows at least two digits of a number that is not 0, and not too many."""
    if value == 0:
        return True
    if abs(value) >= COUNTABLE:
        return False
    shown = float("%.*f" % (places, value))
    return abs(shown - value) <= abs(value) * 0.5 * 10.0 ** (1 - LEAST_DIGITS)


def text(values, unit=""):
    """Numbers in few letters: "5e-08 m/s"."""
    return ("%s %s" % (", ".join("%.4g" % value for value in values), units(unit))).strip()


def units(unit):
    """A unit of the table as artists write it: "kg1m-1s-2" is "kg/(m s2)"."""
    if not unit or unit == "deg":
        return unit
    above, below = [], []
    at = 0
    while at < len(unit):
        end = at
        while end < len(unit) and unit[end].isalpha():
            end += 1
        power = end
        while power < len(unit) and (unit[power].isdigit() or unit[power] == "-"):
            power += 1
        count = int(unit[end:power] or 1)
        (above if count > 0 else below).append(unit[at:end] + (str(abs(count)) if abs(count) > 1 else ""))
        at = power
    if not below:
        return " ".join(above)
    under = below[0] if len(below) == 1 else "(%s)" % " ".join(below)
    return "%s/%s" % (" ".join(above) or "1", under)
