// Conversion of numbers by std::from_chars and std::to_chars, which do not allocate and do not throw.
#include "shim/number.h"

#include <charconv>
#include <limits>

namespace {

// Reads a number. std::from_chars does not set a value that is out of range; overflow and underflow are told apart by
// the sign of the exponent or, without one, by a leading zero.
template <typename T>
size_t parse(const char* text, size_t length, T* out) {
  T value = 0;
  auto result = std::from_chars(text, text + length, value);
  if (result.ec == std::errc::invalid_argument) return 0;
  if (result.ec == std::errc::result_out_of_range) {
    bool small = false, negative = *text == '-';
    bool leading_zero = true;
    for (const char* c = text + negative; c < result.ptr && *c != 'e' && *c != 'E' && *c != '.'; ++c)
      leading_zero = leading_zero && *c == '0';
    for (const char* c = text; c < result.ptr; ++c)
      if (*c == 'e' || *c == 'E') {
        small = c[1] == '-';
        leading_zero = false;
      }
    value = small || leading_zero ? T(0) : std::numeric_limits<T>::infinity();
    if (negative) value = -value;
  }
  *out = value;
  return static_cast<size_t>(result.ptr - text);
}

// Writes a number.
template <typename T>
size_t print(char* text, T value) {
  auto result = std::to_chars(text, text + RV_NUMBER_TEXT, value);
  return result.ec == std::errc() ? static_cast<size_t>(result.ptr - text) : 0;
}

}  // namespace

extern "C" {

size_t rv_number_parse_f32(const char* text, size_t length, float* out) {
  return parse(text, length, out);
}

size_t rv_number_parse_f64(const char* text, size_t length, double* out) {
  return parse(text, length, out);
}

size_t rv_number_print_f32(char text[RV_NUMBER_TEXT], float value) {
  return print(text, value);
}

size_t rv_number_print_f64(char text[RV_NUMBER_TEXT], double value) {
  return print(text, value);
}

}  // extern "C"
