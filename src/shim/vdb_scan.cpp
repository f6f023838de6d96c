// Checks of a VDB file before OpenVDB reads it: OpenVDB trusts every length that it reads and allocates the memory
// first. Layout: header; metadata; number of grids; for each grid its descriptor (three strings, three offsets),
// compression flags, metadata, transform, topology and buffers. A length is a 32-bit number before the bytes that it
// counts.
#include "shim/vdb_scan.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "shim/vdb.hpp"

namespace rv {

constexpr int64_t MAGIC = 0x56444220;                            // "VDB "
constexpr uint32_t VERSION_MIN = 220;                            // oldest file format that is read
constexpr uint32_t VERSION_NODE_MASK = 222;                      // first format with compression flags per grid
constexpr uint32_t VERSION_MAX = openvdb::OPENVDB_FILE_VERSION;  // newest format that this OpenVDB reads
constexpr uint32_t NAME_MAX_BYTES = 65536;                       // of a name or type
constexpr int64_t DESCRIPTOR_MIN_BYTES = 36;                     // three empty strings and three offsets
constexpr size_t READ_BYTES = 1 << 20;                           // read at once for the checksum

// Beginning of our UUIDs: "rivu", and version 8 of RFC 9562 (vendor-specific), where OpenVDB has version 4 (random).
constexpr const char* IDENTITY = "72697675-0001-8000-8";

std::string vdb_identity(const char* path) {
  std::ifstream stream(path, std::ios::in | std::ios::binary);
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
  // The last 60 bits of the UUID are those of the hash.
  char text[UUID_LENGTH + 1];
  snprintf(text, sizeof text, "%s%03x-%012llx", IDENTITY, (unsigned)(hash >> 48 & 0xfff),
           (unsigned long long)(hash & 0xffffffffffffull));
  return text;
}

namespace {

// A file that is being checked.
struct Scan {
  const char* path;
  std::ifstream stream;
  int64_t size = 0;

  [[noreturn]] void damaged(const char* what) {
    vdb_refuse(RV_BAD_FILE, "'%s' is damaged at byte %lld: %s", path, (long long)stream.tellg(), what);
  }
  // Reads a number.
  template <typename T>
  T number() {
    T value = 0;
    if ((int64_t)stream.tellg() + (int64_t)sizeof value > size) damaged("the file ends here");
    stream.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  // Skips bytes; `what` describes the damage if the file is shorter.
  void skip(int64_t bytes, const char* what) {
    if (bytes > size - (int64_t)stream.tellg()) damaged(what);
    stream.seekg(bytes, std::ios::cur);
  }
  // Skips a string of limited length.
  void name(const char* what) {
    uint32_t length = number<uint32_t>();
    if (length > NAME_MAX_BYTES) damaged(what);
    skip(length, what);
  }
  void metadata() {
    uint32_t count = number<uint32_t>();
    for (uint32_t i = 0; i < count; ++i) {
      name("a metadata name is longer than 65536 bytes or than the file");
      name("a metadata type is longer than 65536 bytes or than the file");
      skip(number<uint32_t>(), "a metadata value is longer than the file");
    }
  }
  // Compares the checksum of a file of ours. OpenVDB does not detect all damage: it reads the bytes of a leaf before it
  // compares their number.
  void checksum() {
    char found[UUID_LENGTH + 1] = {0};
    stream.read(found, UUID_LENGTH);
    if (std::strncmp(found, IDENTITY, std::strlen(IDENTITY)) == 0 && vdb_identity(path) != found)
      vdb_refuse(RV_BAD_FILE, "'%s' is damaged: its bytes do not give the checksum in its header", path);
  }
  // Checks the header; true if grids have offsets.
  bool header(uint32_t& version) {
    if (size < 8 || number<int64_t>() != MAGIC) vdb_refuse(RV_BAD_FILE, "'%s' is not a VDB file", path);
    version = number<uint32_t>();
    if (version < VERSION_MIN || version > VERSION_MAX)
      vdb_refuse(RV_UNSUPPORTED, "'%s' has VDB format %u; this OpenVDB reads %u to %u", path, version, VERSION_MIN,
                 VERSION_MAX);
    skip(8, "the file ends in its header");  // library version
    bool has_offsets = number<char>() != 0;
    if (version < VERSION_NODE_MASK) skip(1, "the file ends in its header");
    if (size - (int64_t)stream.tellg() < UUID_LENGTH) damaged("the file ends in its header");
    checksum();
    return has_offsets;
  }
  // Checks the descriptor and metadata of a grid and goes to its end.
  void grid(uint32_t version, bool has_offsets) {
    name("a grid name is longer than 65536 bytes or than the file");
    name("a grid type is longer than 65536 bytes or than the file");
    name("the name of a grid's parent is longer than 65536 bytes or than the file");
    int64_t begin = number<int64_t>();
    int64_t blocks = number<int64_t>();
    int64_t end = number<int64_t>();
    if (has_offsets && (begin != (int64_t)stream.tellg() || blocks < begin || end < blocks || end > size))
      damaged("the offsets of a grid do not lie in order inside the file");
    if (version >= VERSION_NODE_MASK) number<uint32_t>();
    metadata();
    name("the type of a transform is longer than 65536 bytes or than the file");
    if (has_offsets) stream.seekg(end);
  }
};

}  // namespace

void vdb_scan(const char* path) {
  Scan scan;
  scan.path = path;
  scan.stream.open(path, std::ios::in | std::ios::binary);
  if (!scan.stream) vdb_refuse(rv_file_reason(errno), "cannot read '%s': %s", path, strerror(errno));
  scan.stream.seekg(0, std::ios::end);
  scan.size = scan.stream.tellg();
  scan.stream.seekg(0);
  uint32_t version = 0;
  bool has_offsets = scan.header(version);
  scan.metadata();
  int32_t count = scan.number<int32_t>();
  if (count < 0 || count > scan.size / DESCRIPTOR_MIN_BYTES) scan.damaged("the number of grids is impossible");
  // Without offsets only the first grid can be found.
  for (int32_t i = 0; i < (has_offsets ? count : count ? 1 : 0); ++i) scan.grid(version, has_offsets);
}

}  // namespace rv
