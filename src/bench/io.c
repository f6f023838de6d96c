// Benchmark io: a million particles to and from .bgeo.sc, against blosc alone on the same bytes (same blocks, level and
// threads, into memory that is allocated already).
#include <blosc.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/timer.h"
#include "bench/list.h"
#include "rivulet/geo.h"

enum { SIDE = 100, POINTS = SIDE * SIDE * SIDE, REPEATS = 15, BLOCK = 1 << 20, ROOM = BLOCK + BLOSC_MAX_OVERHEAD };

// Liquid as a solver writes it: a jittered lattice, smooth velocities with noise.
static RvDetail* make_points(RvError* error) {
  RvDetail* detail = rv_detail_new();
  bool ok = detail && !rv_detail_add_points(detail, POINTS, NULL, error);
  float* p = ok ? rv_detail_f32_write(detail, RV_POINT, "P", 3, error) : NULL;
  float* v = ok ? rv_detail_f32_write(detail, RV_POINT, "v", 3, error) : NULL;
  float* pscale = ok ? rv_detail_f32_write(detail, RV_POINT, "pscale", 1, error) : NULL;
  int32_t* id = ok ? rv_detail_i32_write(detail, RV_POINT, "id", 1, error) : NULL;
  if (!p || !v || !pscale || !id) {
    rv_detail_free(detail);
    return NULL;
  }
  // 24 random bits a coordinate.
  for (int i = 0; i < POINTS; ++i) {
    int cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    RvRandom4 a = rv_random4(1, 0, (uint64_t)i), b = rv_random4(1, 1, (uint64_t)i);
    for (int c = 0; c < 3; ++c) {
      p[3 * i + c] = 0.005f * ((float)cell[c] + (float)(a.v[c] >> 8) * 0x1p-24f);
      v[3 * i + c] = 0.01f * (float)cell[(c + 1) % 3] + 0.1f * (float)(b.v[c] >> 8) * 0x1p-24f;
    }
    pscale[i] = 0.0025f;
    id[i] = i;
  }
  return detail;
}

// The bytes for blosc alone.
typedef struct Blocks {
  const uint8_t* plain;        // the uncompressed file
  size_t count;                // its bytes
  uint8_t *packed, *unpacked;  // compressed blocks; decompressed again
} Blocks;

// Compresses blocks as the .bgeo.sc writer does: lz4, level 9, shuffled by 4 bytes.
static void pack(void* arg, size_t begin, size_t end) {
  Blocks* b = arg;
  for (size_t i = begin; i < end; ++i) {
    size_t remaining = b->count - i * BLOCK, n = remaining < BLOCK ? remaining : BLOCK;
    blosc_compress_ctx(9, BLOSC_SHUFFLE, 4, n, b->plain + i * BLOCK, b->packed + i * ROOM, n + BLOSC_MAX_OVERHEAD,
                       "lz4", 0, 1);
  }
}

// Decompresses blocks.
static void unpack(void* arg, size_t begin, size_t end) {
  Blocks* b = arg;
  for (size_t i = begin; i < end; ++i) blosc_decompress_ctx(b->packed + i * ROOM, b->unpacked + i * BLOCK, BLOCK, 1);
}

// Least wall seconds.
typedef struct Times {
  double write, read, pack, unpack;
} Times;

// The smaller of a time and that since `begin`.
static double least(double best, double begin) {
  double took = rv_clock_wall() - begin;
  return took < best ? took : best;
}

// Each time is the least of several runs, as other load of the machine only adds to it.
static RvResult measure(const RvDetail* detail, Blocks* blocks, Times* best, size_t* bytes, RvError* error) {
  size_t nblock = (blocks->count + BLOCK - 1) / BLOCK;
  *best = (Times){1e9, 1e9, 1e9, 1e9};
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    double begin = rv_clock_wall();
    rv_parallel_for(nblock, 1, pack, blocks);
    best->pack = least(best->pack, begin);
    begin = rv_clock_wall();
    rv_parallel_for(nblock, 1, unpack, blocks);
    best->unpack = least(best->unpack, begin);
    // The whole writer and reader, in memory.
    void* written;
    RvDetail* decoded;
    begin = rv_clock_wall();
    RvResult result = rv_detail_encode(detail, "bgeo.sc", &written, bytes, NULL, error);
    best->write = least(best->write, begin);
    if (result) return result;
    begin = rv_clock_wall();
    result = rv_detail_decode(written, *bytes, &decoded, NULL, error);
    best->read = least(best->read, begin);
    rv_free(written);
    rv_detail_free(decoded);
    if (result) return result;
  }
  return RV_OK;
}

// Ratios compare each direction with blosc alone.
RvResult rv_bench_io(const RvBenchOut* out, RvError* error) {
  RvDetail* detail = make_points(error);
  Blocks blocks = {0};
  void* plain = NULL;
  Times best;
  size_t bytes;
  RvResult result = detail ? rv_detail_encode(detail, "bgeo", &plain, &blocks.count, NULL, error)
                           : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (result) goto done;
  // The bytes of the uncompressed file are what blosc alone gets.
  size_t nblock = (blocks.count + BLOCK - 1) / BLOCK;
  blocks.plain = plain;
  blocks.packed = rv_alloc_zero(nblock, ROOM);
  blocks.unpacked = rv_alloc_zero(nblock, BLOCK);
  if (!blocks.packed || !blocks.unpacked) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    goto done;
  }
  result = measure(detail, &blocks, &best, &bytes, error);
  if (result) goto done;
  // Both directions: time, ratio to blosc, throughput of uncompressed bytes.
  rv_bench_emit(out, "write_seconds", best.write, "s");
  rv_bench_emit(out, "write_ratio_to_blosc", best.write / best.pack, "x");
  rv_bench_emit(out, "write_mb_per_second", (double)blocks.count / best.write * 1e-6, "MB/s");
  rv_bench_emit(out, "read_seconds", best.read, "s");
  rv_bench_emit(out, "read_ratio_to_blosc", best.read / best.unpack, "x");
  rv_bench_emit(out, "read_mb_per_second", (double)blocks.count / best.read * 1e-6, "MB/s");
  rv_bench_emit(out, "bytes_per_point", (double)bytes / POINTS, "B");
done:
  rv_free(plain);
  rv_free(blocks.packed);
  rv_free(blocks.unpacked);
  rv_detail_free(detail);
  return result;
}
