// Checks of a VDB file before OpenVDB reads it: the checksum of files of ours, then the walk over all bytes.
#include "shim/vdb_scan.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "shim/vdb.hpp"
#include "shim/vdb_walk.h"

extern "C" {
#include "base/budget.h"
#include "base/file.h"
}

namespace rv {

constexpr size_t READ_BYTES = 1 << 20;  // read at once for the checksum

// Beginning of our UUIDs: "rivu", and version 8 of RFC 9562 (vendor-specific), where OpenVDB has version 4 (random).
constexpr const char* IDENTITY = "72697675-0001-8000-8";

// The UUID of a hash: its last 60 bits are those of the hash.
static std::string identity_of(uint64_t hash) {
  char text[UUID_LENGTH + 1];
  snprintf(text, sizeof text, "%s%03x-%012llx", IDENTITY, (unsigned)(hash >> 48 & 0xfff),
           (unsigned long long)(hash & 0xffffffffffffull));
  return text;
}

std::string vdb_identity(const char* path) {
  std::ifstream stream(path, std::ios::in | std::ios::binary);
  // without it nothing would be read, and the checksum would be that of no bytes
  if (!stream) vdb_refuse(rv_file_reason(errno), "cannot read '%s': %s", path, strerror(errno));
  std::vector<char> bytes(READ_BYTES);
  RvHasher hasher = rv_hasher_new(0);
  for (std::streamoff at = 0; stream; at += (std::streamoff)bytes.size()) {
    stream.read(bytes.data(), (std::streamsize)bytes.size());
    size_t count = (size_t)stream.gcount();
    // The UUID itself counts as zeros.
    if (at == 0 && count > UUID_OFFSET) {
      size_t end = std::min(count, (size_t)(UUID_OFFSET + UUID_LENGTH));
      std::memset(bytes.data() + UUID_OFFSET, 0, end - UUID_OFFSET);
    }
    rv_hasher_add(&hasher, bytes.data(), count);
  }
  uint64_t hash = rv_hasher_done(&hasher);
  if (stream.bad()) vdb_refuse(RV_IO, "cannot read '%s'", path);
  return identity_of(hash);
}

// Compares the checksum of a file of ours.
static void check_sum(const char* path, const unsigned char* bytes, size_t size) {
  const unsigned char zeros[UUID_LENGTH] = {0};
  const char* found = reinterpret_cast<const char*>(bytes) + UUID_OFFSET;
  if (size < UUID_OFFSET + UUID_LENGTH || std::strncmp(found, IDENTITY, std::strlen(IDENTITY)) != 0) return;
  RvHasher hasher = rv_hasher_new(0);
  rv_hasher_add(&hasher, bytes, UUID_OFFSET);
  rv_hasher_add(&hasher, zeros, UUID_LENGTH);
  rv_hasher_add(&hasher, bytes + UUID_OFFSET + UUID_LENGTH, size - UUID_OFFSET - UUID_LENGTH);
  if (identity_of(rv_hasher_done(&hasher)).compare(0, UUID_LENGTH, found, UUID_LENGTH) != 0)
    vdb_refuse(RV_BAD_FILE,
               "'%s' is damaged: its bytes do not give the checksum in its header; replace it by another copy, or "
               "write it again",
               path);
}

// Bytes that OpenVDB reads of a metadata value.
static size_t metadata_bytes(RvVdbText type) try {
  const std::string name(type.text, type.length);
  if (name == "string" || !openvdb::Metadata::isRegisteredType(name)) return RV_VDB_AS_STORED;
  return openvdb::Metadata::createMetadata(name)->size();
} catch (...) {
  return RV_VDB_NO_MEMORY;
}

// Bytes of a value of a point attribute.
static size_t attribute_bytes(RvVdbText type, RvVdbText codec) try {
  return vdb_attribute_bytes(std::string(type.text, type.length), std::string(codec.text, codec.length));
} catch (...) {
  return RV_VDB_NO_MEMORY;
}

void vdb_scan(const char* path, unsigned char* bytes, size_t size) {
  constexpr uint32_t VERSION_OFFSET = 8;
  constexpr uint32_t VERSION_MAX = openvdb::OPENVDB_FILE_VERSION;  // newest format that this OpenVDB reads
  uint32_t version = 0;
  if (size >= VERSION_OFFSET + sizeof version) std::memcpy(&version, bytes + VERSION_OFFSET, sizeof version);
  if (version > VERSION_MAX && std::memcmp(bytes, " BDV", 4) == 0)
    vdb_refuse(RV_UNSUPPORTED, "'%s' has VDB format %u; this OpenVDB reads formats up to %u: save it in an older one",
               path, version, VERSION_MAX);
  check_sum(path, bytes, size);
  const RvVdbFile file = {path, bytes, size};
  const RvVdbTypes types = {metadata_bytes, attribute_bytes};
  // What a file may become is limited by its size, so that little damage cannot ask for much memory.
  const size_t most =
      size > (SIZE_MAX - VDB_EXPANSION_FLOOR) / VDB_EXPANSION ? SIZE_MAX : size * VDB_EXPANSION + VDB_EXPANSION_FLOOR;
  size_t memory = 0;
  RvError error = {};
  RvResult result = rv_vdb_walk(&file, &types, std::min(most, rv_budget_room()), &memory, &error);
  if (result) throw Refused(result, error.text);
}

}  // namespace rv
