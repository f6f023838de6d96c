// A look at a VDB file before OpenVDB reads it.
#ifndef RV_SHIM_VDB_SCAN_HPP
#define RV_SHIM_VDB_SCAN_HPP

namespace rv {
// Throws Refused, with the offset, where a length or an offset of the header, the descriptors or the metadata
// cannot be.
void vdb_scan(const char* path);
}  // namespace rv

#endif
