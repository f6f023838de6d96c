// VDB files. They use OpenVDB's archive classes with streams that throw, so that a full disk or a truncated file is an
// error.
#include <openvdb/io/Archive.h>
#include <openvdb/io/GridDescriptor.h>
#include <openvdb/io/io.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <streambuf>

#include "base/platform.h"
#include "shim/vdb.hpp"
#include "shim/vdb_bytes.h"
#include "shim/vdb_scan.hpp"
#include "shim/vdb_walk.h"

namespace rv {

namespace io = openvdb::io;

// Bytes of all copies of shared trees of a file: the most that a small file may ask for.
constexpr double INSTANCE_BYTES_MAX = 512 * MIB;

// Writes grids to a stream.
class Writer : public io::Archive {
 public:
  Writer() { setCompression(io::COMPRESS_ACTIVE_MASK | io::COMPRESS_BLOSC); }
  void write_all(std::ostream& stream, const openvdb::GridCPtrVec& grids, const openvdb::MetaMap& meta) const {
    write(stream, grids, true, meta);
  }
  void write_one(std::ostream& stream, const openvdb::GridBase::ConstPtr& grid) const {
    io::GridDescriptor descriptor(grid->getName(), grid->type(), false);
    io::StreamMetadata::Ptr meta(new io::StreamMetadata);
    io::setStreamMetadataPtr(stream, meta, false);
    io::setDataCompression(stream, compression());
    writeGrid(descriptor, grid, stream, false);
  }
};

// Reads all grids of a stream.
class Reader : public io::Archive {
 public:
  std::vector<openvdb::GridBase::Ptr> grids;

  void read_all(std::istream& stream, const RvLog* log, const char* path) {
    setInstancingEnabled(false);  // grids must not share trees: a change of one would change the other
    readHeader(stream);
    io::StreamMetadata::Ptr meta(new io::StreamMetadata);
    io::setStreamMetadataPtr(stream, meta, false);
    io::setVersion(stream, libraryVersion(), fileVersion());
    io::setDataCompression(stream, compression());
    // The metadata of the file are not used.
    openvdb::MetaMap().readMeta(stream);
    int32_t count = readGridCount(stream);
    std::vector<io::GridDescriptor> descriptors;
    NamedGridMap named;
    for (int32_t i = 0; i < count; ++i) {
      io::GridDescriptor descriptor;
      openvdb::GridBase::Ptr grid = begin_grid(descriptor, stream, log, path);
      if (!grid) continue;
      readGrid(grid, descriptor, stream);
      if (grid->getName().empty()) grid->setName(descriptor.gridName());
      grids.push_back(grid);
      named[descriptor.uniqueName()] = grid;
      descriptors.push_back(descriptor);
    }
    connect(descriptors, named, path);
  }

 private:
  // Gives instances a copy of the shared tree. A small file may name a large tree many times, so the memory is limited.
  void connect(const std::vector<io::GridDescriptor>& descriptors, const NamedGridMap& named, const char* path) {
    const double most = std::fmin(INSTANCE_BYTES_MAX, vdb_bytes_max());
    double bytes = 0;
    for (const io::GridDescriptor& descriptor : descriptors) {
      auto parent = named.find(descriptor.instanceParentName());
      if (descriptor.isInstance() && parent != named.end()) bytes += (double)parent->second->memUsage();
      if (bytes > most)
        vdb_refuse(RV_LIMIT,
                   "'%s': copies of shared trees would take more than %.0f MiB; replace it by another copy, or write "
                   "it again without shared trees",
                   path, most / MIB);
      connectInstance(descriptor, named);
    }
  }
  // An empty grid to read into; nullptr, after skipping the grid, for a type that OpenVDB does not know.
  openvdb::GridBase::Ptr begin_grid(io::GridDescriptor& descriptor, std::istream& stream, const RvLog* log,
                                    const char* path) {
    int64_t end = 0;
    try {
      openvdb::GridBase::Ptr grid = descriptor.read(stream);
      if (rv_vdb_walks_type(descriptor.gridType().c_str())) return grid;
      end = descriptor.getEndPos();
    } catch (const openvdb::LookupError&) {
      // Three offsets follow; the last is the end of the grid.
      int64_t offsets[3];
      stream.read(reinterpret_cast<char*>(offsets), sizeof offsets);
      end = offsets[2];
    }
    rv_log(log, RV_LEVEL_WARNING, "'%s': grid '%s' has the unknown type %s and was left out", path,
           descriptor.gridName().c_str(), descriptor.gridType().c_str());
    // The walk has checked that this is inside the file.
    stream.seekg(end);
    return nullptr;
  }
};

// An output stream that hashes its bytes and discards them.
class HashBuffer : public std::streambuf {
 public:
  HashBuffer() : hasher_(rv_hasher_new(0)) {}
  ~HashBuffer() override { rv_hasher_done(&hasher_); }
  HashBuffer(const HashBuffer&) = delete;
  HashBuffer& operator=(const HashBuffer&) = delete;
  uint64_t take() {
    uint64_t hash = rv_hasher_done(&hasher_);
    hasher_ = rv_hasher_new(0);
    return hash;
  }

 protected:
  int overflow(int c) override {
    char byte = (char)c;
    if (c != traits_type::eof()) rv_hasher_add(&hasher_, &byte, 1);
    return 0;
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    rv_hasher_add(&hasher_, bytes, (size_t)count);
    return count;
  }

 private:
  RvHasher hasher_;
};

// Removes the metadata of a file, which would be stale after the first change. `keep_half` keeps the wish for half
// precision.
static void drop_file_meta(openvdb::GridBase& grid, bool keep_half) {
  std::vector<std::string> drop;
  for (auto meta = grid.beginMeta(); meta != grid.endMeta(); ++meta)
    if (vdb_is_file_meta(meta->first) && !(keep_half && meta->first == openvdb::GridBase::META_SAVE_HALF_FLOAT))
      drop.push_back(meta->first);
  for (const std::string& name : drop) grid.removeMeta(name);
}

// A grid that shares the tree but has its own metadata, without those of a file.
static openvdb::GridBase::Ptr shallow(const openvdb::GridBase& grid) {
  openvdb::GridBase::Ptr copy = openvdb::ConstPtrCast<openvdb::GridBase>(grid.copyGrid());
  drop_file_meta(*copy, false);
  return copy;
}

uint64_t vdb_hash_stream(const openvdb::GridBase& grid) {
  HashBuffer buffer;
  std::ostream stream(&buffer);
  stream.exceptions(std::ios::badbit | std::ios::failbit);
  Writer writer;
  writer.setCompression(io::COMPRESS_NONE);
  vdb_run([&] { writer.write_one(stream, shallow(grid)); });
  return buffer.take();
}

// Shallow copies of the grids with the metadata for writing.
static openvdb::GridCPtrVec to_write(RvGrid* const* grids, size_t count, bool half) {
  openvdb::GridCPtrVec out;
  for (size_t i = 0; i < count; ++i) {
    openvdb::GridBase::Ptr grid = shallow(*grids[i]->grid);
    // A grid may also request half precision by its own metadata.
    bool own = half || grids[i]->grid->saveFloatAsHalf();
    grid->setSaveFloatAsHalf(own && grids[i]->type != RV_GRID_POINTS);
    vdb_tag_velocity(*grid);
    out.push_back(grid);
  }
  return out;
}

// Writes the grids, then replaces the random identity of the header by the checksum of all other bytes.
static void write_stream(std::fstream& stream, const char* temporary, RvGrid* const* grids, size_t count, bool half) {
  openvdb::MetaMap meta;
  meta.insertMeta("creator", openvdb::StringMetadata("rivulet " RV_VERSION_STRING));
  Writer().write_all(stream, to_write(grids, count, half), meta);
  stream.flush();
  std::string identity = vdb_identity(temporary);
  stream.seekp(UUID_OFFSET);
  stream.write(identity.data(), UUID_LENGTH);
  stream.flush();
  stream.close();
}

// Writes the temporary file; failures of the stream become errors with the reason.
static RvResult write_temporary(const char* path, const char* temporary, RvGrid* const* grids, size_t count, bool half,
                                RvError* error) {
  RV_SHIM_BEGIN
  std::fstream stream;
  errno = 0;
  try {
    stream.exceptions(std::ios::badbit | std::ios::failbit);
    stream.open(temporary, std::ios::out | std::ios::trunc | std::ios::binary);
    vdb_run([&] { write_stream(stream, temporary, grids, count, half); });
  } catch (const std::ios_base::failure&) {
    int reason = errno;
    vdb_refuse(rv_file_reason(reason), "cannot write '%s': %s", path,
               reason ? strerror(reason) : "the file system reported an error");
  }
  return RV_OK;
  RV_VDB_END(error)
}

// An input stream over bytes in memory.
class MemoryBuffer : public std::streambuf {
 public:
  MemoryBuffer(char* bytes, size_t size) { setg(bytes, bytes, bytes + size); }

 protected:
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    off_type base = from == std::ios_base::beg ? 0 : from == std::ios_base::cur ? gptr() - eback() : egptr() - eback();
    return seekpos(base + offset, std::ios_base::in);
  }
  pos_type seekpos(pos_type place, std::ios_base::openmode) override {
    off_type at = place;
    if (at < 0 || at > egptr() - eback()) return pos_type(off_type(-1));
    setg(eback(), eback() + at, egptr());
    return place;
  }
};

// Checks and reads a file; exceptions of the stream and of OpenVDB mean that it is damaged.
static void read_all(const char* path, unsigned char* bytes, size_t size, std::vector<openvdb::GridBase::Ptr>& out,
                     const RvLog* log) {
  static const char* const advice = "; replace it by another copy, or write it again";
  try {
    vdb_run([&] {
      vdb_scan(path, bytes, size);
      MemoryBuffer buffer(reinterpret_cast<char*>(bytes), size);
      std::istream stream(&buffer);
      stream.exceptions(std::ios::badbit | std::ios::failbit | std::ios::eofbit);
      Reader reader;
      reader.read_all(stream, log, path);
      out.swap(reader.grids);
    });
  } catch (const std::ios_base::failure&) {
    vdb_refuse(RV_BAD_FILE, "'%s' is truncated or damaged: its grids extend beyond its end%s", path, advice);
  } catch (const openvdb::Exception& e) {
    vdb_refuse(RV_BAD_FILE, "'%s' is damaged%s; OpenVDB reports: %s", path, advice, e.what());
  } catch (const std::bad_alloc&) {
    vdb_refuse(RV_NO_MEMORY, "out of memory for reading '%s'", path);
  } catch (const std::length_error&) {
    vdb_refuse(RV_BAD_FILE, "'%s' is damaged: it asks for an impossible amount of memory%s", path, advice);
  }
}

// Handles of the grids that were read.
static RvResult hand_over(const std::vector<openvdb::GridBase::Ptr>& found, RvGrid*** grids, size_t* count,
                          RvError* error) {
  auto drop = [](RvGrid* grid) { rv_grid_release(grid); };
  std::vector<std::unique_ptr<RvGrid, decltype(drop)>> wrapped;
  for (const openvdb::GridBase::Ptr& grid : found) {
    drop_file_meta(*grid, true);
    wrapped.emplace_back(vdb_wrap(grid), drop);
  }
  *grids = static_cast<RvGrid**>(rv_alloc(wrapped.size(), sizeof(RvGrid*)));
  if (!*grids) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  *count = wrapped.size();
  for (size_t i = 0; i < wrapped.size(); ++i) (*grids)[i] = wrapped[i].release();
  return RV_OK;
}

}  // namespace rv

using namespace rv;

RvResult rv_grid_write_file(const char* path, RvGrid* const* grids, size_t count, bool half, RvError* error) {
  RV_SHIM_BEGIN
  RvFileInfo info;
  if (path && rv_platform_info(path, &info) && info.kind == RV_FILE_FOLDER)
    vdb_refuse(RV_IO, "cannot write '%s': it is a folder", path);
  char* temporary = nullptr;
  RvResult result = rv_file_temporary(path, &temporary, nullptr, error);
  if (result) return result;
  result = write_temporary(path, temporary, grids, count, half, error);
  if (result)
    std::remove(temporary);
  else
    result = rv_file_rename(temporary, path, error);
  rv_free(temporary);
  return result;
  RV_VDB_END(error)
}

RvResult rv_grid_read_bytes(const char* name, void* bytes, size_t size, RvGrid*** grids, size_t* count,
                            const RvLog* log, RvError* error) {
  *grids = nullptr;
  *count = 0;
  RV_VDB_BEGIN
  std::vector<openvdb::GridBase::Ptr> found;
  read_all(name, static_cast<unsigned char*>(bytes), size, found, log);
  return hand_over(found, grids, count, error);
  RV_VDB_END(error)
}

RvResult rv_grid_read_file(const char* path, RvGrid*** grids, size_t* count, const RvLog* log, RvError* error) {
  *grids = nullptr;
  *count = 0;
  // The file is read once: what was checked is what OpenVDB gets, even if somebody writes the file meanwhile.
  void* bytes = nullptr;
  size_t size = 0;
  RvResult result = rv_file_read(path, 0, &bytes, &size, error);
  if (!result) result = rv_grid_read_bytes(path, bytes, size, grids, count, log, error);
  rv_free(bytes);
  return result;
}
