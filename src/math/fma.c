// Fused multiply-add in integers: the exact product of 106 bits and the addend are aligned in 128 bits, added, and
// rounded once to the nearest, ties to even (IEEE 754-2019, 5.4.1 fusedMultiplyAdd).
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "math/scalar.h"

enum {
  MANTISSA_BITS = 52,  // stored ones of a double
  MAX_EXPONENT = 1023,
  MIN_EXPONENT = -1022,  // of a normal number
  BIAS = 1023,
  EXPONENT_FIELD = 0x7ff,  // all ones: infinity and NaN
  TOP_BIT = 126,           // highest bit of both terms, so that their sum fits into 128 bits
};

__extension__ typedef unsigned __int128 Wide;

// A number that is not 0: value 2^exponent, with the highest bit of `value` at TOP_BIT.
typedef struct Term {
  Wide value;
  int exponent;
  bool negative;
} Term;

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Number of leading zeros of a number that is not 0.
static int leading_zeros(Wide x) {
  uint64_t high = (uint64_t)(x >> 64);
  return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
}

// Moves the highest bit to `top`, below which there is room.
static Term normalized(Term t, int top) {
  int shift = leading_zeros(t.value) - (127 - top);
  t.value = shift >= 0 ? t.value << shift : t.value >> -shift;
  t.exponent -= shift;
  return t;
}

// Significand and exponent of a finite number, as an integer times a power of 2.
static Term split(double x) {
  uint64_t bits = bits_of(x);
  int field = (int)(bits >> MANTISSA_BITS & EXPONENT_FIELD);
  uint64_t fraction = bits & (((uint64_t)1 << MANTISSA_BITS) - 1);
  uint64_t value = field ? fraction | (uint64_t)1 << MANTISSA_BITS : fraction;
  return (Term){value, (field ? field : 1) - BIAS - MANTISSA_BITS, bits >> 63};
}

// Shifts right; the lowest bit tells whether a bit was lost, which is all that rounding needs of them.
static Wide shifted(Wide x, int count) {
  if (count == 0) return x;
  if (count > 127) return x != 0;
  Wide lost = x & (((Wide)1 << count) - 1);
  return x >> count | (lost != 0);
}

// Sum of two terms, exact but for the lowest bit.
static Term sum(Term a, Term b) {
  if (a.exponent < b.exponent) {
    Term swap = a;
    a = b;
    b = swap;
  }
  b.value = shifted(b.value, a.exponent - b.exponent);
  if (a.negative == b.negative) return (Term){a.value + b.value, a.exponent, a.negative};
  bool larger = b.value > a.value;
  return (Term){larger ? b.value - a.value : a.value - b.value, a.exponent, larger ? b.negative : a.negative};
}

// The nearest double, ties to even.
static double rounded(Term t) {
  const uint64_t sign = (uint64_t)t.negative << 63;
  // 64 bits and a sticky one are enough
  t = normalized(t, 127);
  uint64_t top = (uint64_t)(t.value >> 64) | ((uint64_t)t.value != 0);
  int exponent = t.exponent + 127;  // of the highest bit
  if (exponent > MAX_EXPONENT) return double_of(sign | (uint64_t)EXPONENT_FIELD << MANTISSA_BITS);
  // Subnormal numbers have fewer bits, those below half of the smallest none.
  int lost = 63 - MANTISSA_BITS + (exponent < MIN_EXPONENT ? MIN_EXPONENT - exponent : 0);
  if (lost > 64) return double_of(sign);
  uint64_t kept = lost < 64 ? top >> lost : 0;
  uint64_t rest = lost < 64 ? top & (((uint64_t)1 << lost) - 1) : top;
  uint64_t half = (uint64_t)1 << (lost - 1);
  if (rest > half || (rest == half && (kept & 1))) ++kept;
  // A carry goes on into the exponent, and from the largest number to infinity.
  uint64_t field = exponent < MIN_EXPONENT ? 0 : (uint64_t)(exponent + BIAS - 1);
  return double_of(sign | ((field << MANTISSA_BITS) + kept));
}

double rv_fma_exact(double a, double b, double c) {
  // Infinities, NaN and zeros: one rounding at most, or none. A finite product may overflow, which an infinite c hides.
  if (!__builtin_isfinite(a) || !__builtin_isfinite(b) || a == 0 || b == 0) return a * b + c;
  if (!__builtin_isfinite(c)) return c;
  if (c == 0) return a * b;
  Term x = split(a);
  Term y = split(b);
  Term product = {x.value * y.value, x.exponent + y.exponent, x.negative != y.negative};
  Term total = sum(normalized(product, TOP_BIT), normalized(split(c), TOP_BIT));
  return total.value ? rounded(total) : 0;
}
