// IEEE 754 half precision, by bits: the same on every machine, with or without instructions for it.
#ifndef RV_GEO_HALF_H
#define RV_GEO_HALF_H

#include <stdint.h>
#include <string.h>

static inline float rv_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31, mantissa = half & 0x3ff, bits;
  if (exponent == 31) {
    bits = sign | 0x7f800000 | mantissa << 13;
  } else if (exponent) {
    bits = sign | (exponent + 112) << 23 | mantissa << 13;
  } else {
    // zero or subnormal: mantissa / 2^24 is exact in float
    float value = (float)mantissa * 0x1p-24f;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
  }
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// To the nearest, ties to even; too large is infinite; a NaN stays one.
static inline uint16_t rv_half_from_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  uint32_t exponent = magnitude >> 23, shift = 13, base;
  if (exponent >= 113) {
    base = magnitude - (112u << 23);
  } else {
    // subnormal half: the mantissa with its hidden bit is shifted further
    if (exponent < 102) return (uint16_t)sign;
    shift = 126 - exponent;
    base = (magnitude & 0x7fffff) | 0x800000;
  }
  uint32_t half = base >> shift, rest = base & ((1u << shift) - 1), tie = 1u << (shift - 1);
  if (rest > tie || (rest == tie && (half & 1))) ++half;
  return (uint16_t)(sign | half);
}

#endif
