// Checks of a VDB file before OpenVDB reads it.
#ifndef RV_SHIM_VDB_SCAN_HPP
#define RV_SHIM_VDB_SCAN_HPP

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
// Throws Refused, with the offset, if a length or an offset of the header, the descriptors or the metadata is not
// possible, or the checksum of a file of ours does not match.
void vdb_scan(const char* path);
}  // namespace rv

#endif
