// Checks of a VDB file before OpenVDB reads it.
#ifndef RV_SHIM_VDB_SCAN_HPP
#define RV_SHIM_VDB_SCAN_HPP

#include <cstddef>
#include <cstdint>
#include <ios>
#include <string>

namespace rv {
// Bytes of the header: magic 8, format 4, library 4 + 4, "has offsets" 1, then 36 characters of a UUID, which OpenVDB
// chooses at random. Our files have the checksum of all other bytes there, so that equal grids give equal files and a
// flipped bit is detected.
constexpr std::streamoff UUID_OFFSET = 21, UUID_LENGTH = 36;
// The UUID of a file by its checksum.
std::string vdb_identity(const char* path);
// A file may take at most this many times its size in memory, plus the floor. Blosc and zip compress equal values by
// 200 at most, and the tree around them by less.
constexpr size_t VDB_EXPANSION = 1024, VDB_EXPANSION_FLOOR = 64 << 20;
// Throws Refused, with the offset, if the checksum of a file of ours does not match, or if OpenVDB could not read the
// bytes safely (shim/vdb_walk.h). Some bytes that only delayed loading needs are changed.
void vdb_scan(const char* path, unsigned char* bytes, size_t size);
// Bytes of one value of a point attribute; 0 for an unknown type.
size_t vdb_attribute_bytes(const std::string& type, const std::string& codec);
}  // namespace rv

#endif
