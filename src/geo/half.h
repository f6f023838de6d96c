// Conversion between IEEE 754 half and single precision by bit operations: the same result on every machine, with or
// without hardware conversion.
// Half: 1 sign bit, 5 exponent bits (bias 15), 10 mantissa bits. Single: 1, 8 (bias 127), 23. The biases differ by 112,
// the mantissas by 13 bits.
#ifndef RV_GEO_HALF_H
#define RV_GEO_HALF_H

#include <stdint.h>
#include <string.h>

enum {
  RV_HALF_SIGN = 0x8000,
  RV_HALF_INFINITY = 0x7c00,
  RV_HALF_QUIET_NAN = 0x7e00,
  RV_HALF_MANTISSA_MASK = 0x3ff,
  RV_HALF_MANTISSA_BITS = 10,
  RV_HALF_EXPONENT_MASK = 31,
  RV_FLOAT_INFINITY = 0x7f800000,
  RV_FLOAT_MANTISSA_MASK = 0x7fffff,
  RV_FLOAT_HIDDEN_BIT = 0x800000,
  RV_FLOAT_MANTISSA_BITS = 23,
  RV_HALF_BIAS_SHIFT = 112,                // float bias 127 less half bias 15
  RV_HALF_MANTISSA_SHIFT = 13,             // mantissa bits of a float less those of a half
  RV_HALF_OVERFLOW = 0x477ff000,           // 65520 as a float: it and everything above rounds to infinity
  RV_HALF_LEAST_NORMAL_EXPONENT = 113,     // exponent field of the float 2^-14, the least normal half
  RV_HALF_LEAST_SUBNORMAL_EXPONENT = 102,  // of 2^-25, half the least subnormal: everything below rounds to 0
  RV_HALF_SUBNORMAL_SHIFT_BASE = 126,      // less the exponent field: bits to drop of a subnormal result
};

// The value of a half, which every float can represent exactly. Infinities and NaN stay what they are.
static inline float rv_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & RV_HALF_SIGN) << 16;  // bit 15 to bit 31
  uint32_t exponent = (half >> RV_HALF_MANTISSA_BITS) & RV_HALF_EXPONENT_MASK;
  uint32_t mantissa = half & RV_HALF_MANTISSA_MASK;
  uint32_t bits;
  if (exponent == RV_HALF_EXPONENT_MASK) {
    bits = sign | RV_FLOAT_INFINITY | mantissa << RV_HALF_MANTISSA_SHIFT;
  } else if (exponent) {
    bits = sign | (exponent + RV_HALF_BIAS_SHIFT) << RV_FLOAT_MANTISSA_BITS | mantissa << RV_HALF_MANTISSA_SHIFT;
  } else {
    // Zero or subnormal: the value is mantissa / 2^24, exact in float.
    float value = (float)mantissa * 0x1p-24f;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
  }
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Rounds to the nearest half, ties to even. Values from 65520 on become infinite; a NaN stays a NaN.
static inline uint16_t rv_half_from_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 16 & RV_HALF_SIGN;  // bit 31 to bit 15
  uint32_t magnitude = bits & 0x7fffffff;     // all but the sign
  if (magnitude > RV_FLOAT_INFINITY)
    return (uint16_t)(sign | RV_HALF_QUIET_NAN | (magnitude >> RV_HALF_MANTISSA_SHIFT & RV_HALF_MANTISSA_MASK));
  if (magnitude >= RV_HALF_OVERFLOW) return (uint16_t)(sign | RV_HALF_INFINITY);
  uint32_t exponent = magnitude >> RV_FLOAT_MANTISSA_BITS;
  uint32_t shift = RV_HALF_MANTISSA_SHIFT;
  uint32_t base;
  if (exponent >= RV_HALF_LEAST_NORMAL_EXPONENT) {
    base = magnitude - ((uint32_t)RV_HALF_BIAS_SHIFT << RV_FLOAT_MANTISSA_BITS);
  } else {
    // Subnormal half: the mantissa with its hidden bit is shifted further.
    if (exponent < RV_HALF_LEAST_SUBNORMAL_EXPONENT) return (uint16_t)sign;
    shift = RV_HALF_SUBNORMAL_SHIFT_BASE - exponent;
    base = (magnitude & RV_FLOAT_MANTISSA_MASK) | RV_FLOAT_HIDDEN_BIT;
  }
  // Round by the bits that are dropped; a carry into the exponent is right.
  uint32_t half = base >> shift;
  uint32_t remainder = base & ((1u << shift) - 1);
  uint32_t tie = 1u << (shift - 1);
  if (remainder > tie || (remainder == tie && (half & 1))) ++half;
  return (uint16_t)(sign | half);
}

#endif
