// A look at a VDB file before OpenVDB reads it.
#ifndef RV_SHIM_VDB_SCAN_HPP
#define RV_SHIM_VDB_SCAN_HPP

#include <cstdint>
#include <ios>
#include <string>

namespace rv {
// The header: magic 8, format 4, library 4 + 4, "has offsets" 1, then 36 characters of an identity, random in OpenVDB.
// Ours carries the checksum of all other bytes, so that equal grids give equal files and a flipped bit is noticed.
constexpr std::streamoff UUID_OFFSET = 21, UUID_LENGTH = 36;
std::string vdb_identity(const char* path);
// Throws Refused, with the offset, where a length or an offset of the header, the descriptors or the metadata
// cannot be.
void vdb_scan(const char* path);
}  // namespace rv

#endif
