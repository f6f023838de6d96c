// Bytes of binary JSON (reference C.2) that the reader and the writer share. Numbers have the type bytes of RvElement;
// arrays and maps begin and end with their ASCII brackets.
#ifndef RV_GEO_JSON_BYTES_H
#define RV_GEO_JSON_BYTES_H

// Type bytes of values that are no numbers.
enum {
  RV_JSON_BYTE_NULL = 0x00,
  RV_JSON_BYTE_USE = 0x26,       // a defined string, by its id
  RV_JSON_BYTE_STRING = 0x27,    // length and bytes
  RV_JSON_BYTE_DEFINE = 0x2b,    // id, length and bytes of a string
  RV_JSON_BYTE_UNDEFINE = 0x2d,  // id
  RV_JSON_BYTE_FALSE = 0x30,
  RV_JSON_BYTE_TRUE = 0x31,
  RV_JSON_BYTE_UNIFORM = 0x40,  // element type, count and elements without type bytes
  RV_JSON_BYTE_MAGIC = 0x7f,    // first byte of a document; the magic number follows
};

// Lengths and ids take one byte below the escapes; an escape says how many bytes follow.
enum {
  RV_JSON_LENGTH_ESCAPES = 0xf1,
  RV_JSON_LENGTH_2_BYTES = 0xf2,
  RV_JSON_LENGTH_4_BYTES = 0xf4,
  RV_JSON_LENGTH_8_BYTES = 0xf8,
};

#endif
