// Description of a detail as JSON.
#include "cli/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "math/scalar.h"
#include "rivulet/node.h"

static bool json_without_memory;  // an allocation failed

static void* json_alloc(size_t bytes) {
  void* memory = malloc(bytes);
  if (!memory) json_without_memory = true;
  return memory;
}

void rv_cli_json_begin(void) {
  json_without_memory = false;
  json_set_alloc_funcs(json_alloc, free);
}

bool rv_cli_json_failed(void) {
  return json_without_memory;
}

json_t* rv_cli_json_load(const char* text, size_t bytes, json_error_t* error) {
  rv_foreign_enter("jansson");
  json_t* json = json_loadb(text, bytes, 0, error);
  rv_foreign_leave();
  return json;
}

// A JSON number; null for NaN and infinity, which JSON does not have.
static json_t* number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

// A JSON array of numbers.
static json_t* vector(const double* values, int count) {
  json_t* array = json_array();
  for (int i = 0; i < count; ++i) json_array_append_new(array, number(values[i]));
  return array;
}

// Adds the range of the finite values of each component, and the number of values that are not finite.
static void add_range(json_t* row, const RvAttrib* attrib) {
  int size = rv_attrib_size(attrib);
  size_t count = rv_attrib_count(attrib), nonfinite = 0;
  json_t *lows = json_array(), *highs = json_array();
  for (int c = 0; c < size; ++c) {
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
      double v = rv_attrib_get(attrib, i, c);
      if (!isfinite(v)) {
        nonfinite++;
        continue;
      }
      lo = fmin(lo, v);
      hi = fmax(hi, v);
    }
    json_array_append_new(lows, number(lo));
    json_array_append_new(highs, number(hi));
  }
  json_object_set_new(row, "min", lows);
  json_object_set_new(row, "max", highs);
  if (nonfinite) json_object_set_new(row, "nonfinite", json_integer((json_int_t)nonfinite));
}

// Name, owner, type and range of an attribute.
static json_t* describe_attrib(const RvAttrib* attrib) {
  json_t* row = json_object();
  json_object_set_new(row, "name", json_string(rv_attrib_name(attrib)));
  json_object_set_new(row, "owner", json_string(rv_owner_name(rv_attrib_owner(attrib))));
  json_object_set_new(row, "type", json_string(rv_storage_name(rv_attrib_storage(attrib))));
  json_object_set_new(row, "size", json_integer(rv_attrib_size(attrib)));
  if (rv_attrib_tag(attrib)) json_object_set_new(row, "tag", json_string(rv_tag_name(rv_attrib_tag(attrib))));
  if (rv_attrib_storage(attrib) == RV_STRING)
    json_object_set_new(row, "strings", json_integer((json_int_t)rv_attrib_string_count(attrib)));
  else
    add_range(row, attrib);
  return row;
}

// Name, owner and number of members of a group.
static json_t* describe_group(const RvGroup* group, RvOwner owner, size_t count) {
  const uint8_t* members = rv_group_read(group);
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) total += members[i] != 0;
  json_t* row = json_object();
  json_object_set_new(row, "name", json_string(rv_group_name(group)));
  json_object_set_new(row, "owner", json_string(rv_owner_name(owner)));
  json_object_set_new(row, "count", json_integer((json_int_t)total));
  return row;
}

// Name, type, voxel size and bounds of a grid.
static RvResult describe_grid(const RvGrid* grid, json_t* row, RvError* error) {
  static const char* const types[] = {"float", "vec3", "points", "other"};
  static const char* const classes[] = {"unknown", "level set", "fog volume", "staggered"};
  uint64_t active = 0;
  RvResult result = rv_grid_active_count(grid, &active, error);
  json_object_set_new(row, "name", json_string(rv_grid_name(grid)));
  json_object_set_new(row, "type", json_string(types[rv_grid_type(grid)]));
  json_object_set_new(row, "class", json_string(classes[rv_grid_class(grid)]));
  json_object_set_new(row, "voxelsize", number(rv_grid_voxel_size(grid)));
  json_object_set_new(row, "active", json_integer((json_int_t)active));
  json_object_set_new(row, "bytes", json_integer((json_int_t)rv_grid_bytes(grid)));
  int32_t lo[3], hi[3];
  double world_lo[3], world_hi[3];
  if (rv_grid_bounds(grid, lo, hi, world_lo, world_hi))
    json_object_set_new(row, "bounds", json_pack("[o,o]", vector(world_lo, 3), vector(world_hi, 3)));
  return result;
}

// Compensated sum of one component, so that a relative loss of 1e-12 shows among a million particles.
static double sum_of(const RvAttrib* a, int component) {
  RvSum sum = {0};
  for (size_t i = 0; a && i < rv_attrib_count(a); ++i) rv_sum_add(&sum, rv_attrib_get(a, i, component));
  return rv_sum_total(&sum);
}

// A numeric attribute of at least `size` components; NULL if there is none.
static const RvAttrib* find_numbers(const RvDetail* detail, RvOwner owner, const char* name, int size) {
  const RvAttrib* a = rv_detail_find(detail, owner, name);
  return a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) >= size ? a : NULL;
}

// Adds the liquid in a solver's state, and its drift against initial + sources - sinks.
static void add_ledger(json_t* object, const RvDetail* detail) {
  const RvAttrib* exact = find_numbers(detail, RV_POINT, "rv_volume", 1);
  const RvAttrib* film = find_numbers(detail, RV_POINT, "rv_film", 1);
  const RvAttrib* absorbed = find_numbers(detail, RV_POINT, "rv_absorbed", 1);
  const RvAttrib* drop = find_numbers(detail, RV_PRIM, "rv_drop", 1);
  const RvAttrib* ledger = find_numbers(detail, RV_GLOBAL, "rv_ledger", 5);
  const RvAttrib* painted = find_numbers(detail, RV_GLOBAL, "rv_wetledger", 4);
  RvLedger l = {.bulk = sum_of(exact, 0), .film = sum_of(film, 0) + sum_of(drop, 0), .absorbed = sum_of(absorbed, 0)};
  // Order of components as in liquid/io.h and the wet solver.
  if (ledger) {
    l.initial = rv_attrib_get(ledger, 0, 0);
    l.sources = rv_attrib_get(ledger, 0, 1);
    l.killed = rv_attrib_get(ledger, 0, 2);
    l.evaporated = rv_attrib_get(ledger, 0, 3);
    l.outflow = rv_attrib_get(ledger, 0, 4);
  }
  if (painted) {
    l.initial += rv_attrib_get(painted, 0, 0);
    l.sources += rv_attrib_get(painted, 0, 1);
    l.evaporated += rv_attrib_get(painted, 0, 2);
    l.outflow += rv_attrib_get(painted, 0, 3);
  }
  json_object_set_new(
      object, "volumes",
      json_pack("{s:o,s:o,s:o,s:o,s:o}", "bulk", number(l.bulk), "film", number(l.film), "absorbed", number(l.absorbed),
                "total", number(rv_ledger_total(&l)), "drift", number(rv_ledger_drift(&l))));
}

// Adds the liquid volumes, recomputed from the particles and films.
static void add_volumes(json_t* object, const RvDetail* detail) {
  const RvAttrib* volume = find_numbers(detail, RV_POINT, "volume", 1);
  if (find_numbers(detail, RV_POINT, "rv_volume", 1) || find_numbers(detail, RV_POINT, "rv_film", 1))
    add_ledger(object, detail);
  else if (volume)
    json_object_set_new(object, "volumes", json_pack("{s:o}", "bulk", number(sum_of(volume, 0))));
}

RvResult rv_cli_describe_detail(json_t* object, const RvDetail* detail, RvError* error) {
  size_t prims = rv_detail_count(detail, RV_PRIM), kinds[3] = {0};
  json_t *attributes = json_array(), *groups = json_array(), *grids = json_array();
  RvResult result = RV_OK;
  for (size_t i = 0; i < prims && !result; ++i) {
    kinds[rv_detail_prim_type(detail, i)]++;
    if (!rv_detail_prim_grid(detail, i)) continue;
    json_t* row = json_object();
    json_array_append_new(grids, row);
    result = describe_grid(rv_detail_prim_grid(detail, i), row, error);
  }
  // Counts and bounds.
  json_object_set_new(object, "points", json_integer((json_int_t)rv_detail_count(detail, RV_POINT)));
  json_object_set_new(object, "vertices", json_integer((json_int_t)rv_detail_count(detail, RV_VERTEX)));
  json_object_set_new(object, "primitives", json_integer((json_int_t)prims));
  json_object_set_new(object, "polygons", json_integer((json_int_t)kinds[RV_PRIM_POLYGON]));
  json_object_set_new(object, "curves", json_integer((json_int_t)kinds[RV_PRIM_CURVE]));
  json_object_set_new(object, "vdbs", json_integer((json_int_t)kinds[RV_PRIM_VDB]));
  json_object_set_new(object, "bytes", json_integer((json_int_t)rv_detail_bytes(detail)));
  double lo[3], hi[3];
  if (rv_detail_bounds(detail, lo, hi))
    json_object_set_new(object, "bounds", json_pack("[o,o]", vector(lo, 3), vector(hi, 3)));
  add_volumes(object, detail);
  // Attributes and groups of each owner.
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (size_t i = 0; i < rv_detail_attrib_count(detail, (RvOwner)owner); ++i)
      json_array_append_new(attributes, describe_attrib(rv_detail_attrib(detail, (RvOwner)owner, i)));
    for (size_t i = 0; owner != RV_GLOBAL && i < rv_detail_group_count(detail, (RvOwner)owner); ++i)
      json_array_append_new(groups, describe_group(rv_detail_group(detail, (RvOwner)owner, i), (RvOwner)owner,
                                                   rv_detail_count(detail, (RvOwner)owner)));
  }
  json_object_set_new(object, "attributes", attributes);
  json_object_set_new(object, "groups", groups);
  json_object_set_new(object, "grids", grids);
  char hash[20];
  uint64_t number_of_content = rv_detail_hash(detail);
  if (!number_of_content) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the hash");
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)number_of_content);
  json_object_set_new(object, "hash", json_string(hash));
  return result;
}
