// The state of the liquid as attributes of points and back, bit for bit.
#ifndef RV_LIQUID_IO_H
#define RV_LIQUID_IO_H

#include "geo/state_map.h"
#include "liquid/liquid.h"
#include "rivulet/geo.h"

// What a state has beside the particles.
typedef struct RvLiquidGlobals {
  double origin[3];  // what places are relative to, in units of the scene
  double dx;         // m
  int64_t next_id;
  double initial, sources, killed, evaporated, outflow;  // m3, as in RvLedger: the five numbers of rv_ledger, in order
} RvLiquidGlobals;

// What the rows of the state refer to.
typedef struct RvLiquidRecord {
  RvLiquidGlobals globals;
  RvParticles* particles;
  double* cell;  // [points][3] places: particles store them as a tile and a position within it
} RvLiquidRecord;

// Where a row's numbers are: an array of the particles, or a number beside them.
#define RV_LIQUID_PLANES(m) RV_AT_HELD(RvLiquidRecord, particles, RvParticles, m), .layout = RV_LAYOUT_PLANES
#define RV_LIQUID_GLOBAL(m) RV_AT(RvLiquidRecord, globals.m), .layout = RV_LAYOUT_NUMBERS

// Rows of the table of state fields; `part` names the liquid within another solver's state.
#define RV_LIQUID_FIELDS(part) \
  RV_LIQUID_FIELDS_C(part, "1/s", "fromgrid", "Affine vectors: the slope of each component of the velocity.")
// The same of a solver with other numbers in rv_c: their unit, the stage that writes them, and what they are.
#define RV_LIQUID_FIELDS_C(part, c_unit, c_stage, c_help)                                                              \
  RV_FIELD_AT("rv_cell", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "", "collide",                                        \
              "Exact place, in cells of rv_dx from rv_gridorigin.", RV_AT(RvLiquidRecord, cell),                       \
              .layout = RV_LAYOUT_ARRAY),                                                                              \
      RV_FIELD_AT("rv_flow", RV_POINT, RV_F32, 3, RV_TAG_VECTOR, part, "m/s", "fromgrid",                              \
                  "Velocity, per simulated second.", RV_LIQUID_PLANES(v)),                                             \
      RV_FIELD_AT("rv_c", RV_POINT, RV_F32, 9, RV_TAG_NONE, part, c_unit, c_stage, c_help, RV_LIQUID_PLANES(c)),       \
      RV_FIELD_AT("rv_strain", RV_POINT, RV_F32, 6, RV_TAG_NONE, part, "", "fromgrid",                                 \
                  "Elastic strain, b - 1: xx, yy, zz, yz, xz, xy; only of a liquid with a shear modulus.",             \
                  RV_LIQUID_PLANES(strain), .optional = true),                                                         \
      RV_FIELD_AT("rv_volume", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m3", "resample", "Volume.",                    \
                  RV_LIQUID_PLANES(volume)),                                                                           \
      RV_FIELD_AT("rv_id", RV_POINT, RV_I64, 1, RV_TAG_NONE, part, "", "resample",                                     \
                  "Number of the particle, never used again.", RV_LIQUID_PLANES(id)),                                  \
      RV_FIELD_AT("rv_age", RV_POINT, RV_F32, 1, RV_TAG_NONE, part, "s", "fromgrid", "Simulated seconds since birth.", \
                  RV_LIQUID_PLANES(age)),                                                                              \
      RV_FIELD_AT("rv_gridorigin", RV_GLOBAL, RV_F64, 3, RV_TAG_NONE, part, "", "start",                               \
                  "What places are relative to, in units of the scene.", RV_LIQUID_GLOBAL(origin)),                    \
      RV_FIELD_AT("rv_dx", RV_GLOBAL, RV_F64, 1, RV_TAG_NONE, part, "m", "start", "Side of a cell.",                   \
                  RV_LIQUID_GLOBAL(dx)),                                                                               \
      RV_FIELD_AT("rv_nextid", RV_GLOBAL, RV_I64, 1, RV_TAG_NONE, part, "", "resample",                                \
                  "The first number that is free.", RV_LIQUID_GLOBAL(next_id)),                                        \
      RV_FIELD_AT("rv_ledger", RV_GLOBAL, RV_F64, 5, RV_TAG_NONE, part, "m3", "sources",                               \
                  "Volume at the start, of sources, killed, evaporated, flowed out.", RV_LIQUID_GLOBAL(initial)),      \
      RV_FIELD("rv_sources", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "sources", true,                             \
               "Of each source: id, volume in m3 that flowed and makes no particle yet, particles so far.")

enum { RV_LIQUID_FIELD_COUNT = RV_FIELD_COUNT(RV_LIQUID_FIELDS("")) };
extern const RvFieldDef rv_liquid_fields[RV_LIQUID_FIELD_COUNT];

// Units of the scene.
typedef struct RvLiquidUnits {
  double meters;  // of a unit of the scene
  double rate;    // seconds of simulation a second of the scene
} RvLiquidUnits;

// Faults of points that were read. Lost and empty ones are left out.
typedef struct RvLiquidFaults {
  size_t lost;         // place, velocity or volume is not a number, or too far away
  size_t empty;        // without volume
  size_t edited;       // P or v changed by hand since the state was written: the edit is taken
  size_t strained;     // elastic strains that no liquid can have: they are taken as 0
  bool numbered;       // some ids occurred twice: all were numbered anew
  double lost_volume;  // m^3
} RvLiquidFaults;

// Side of the cells and the grid's origin for points of a start frame: volume, else pscale, else `separation` tells how
// far apart they are. An error when nothing does.
RvResult rv_liquid_measure(const RvDetail* points, double separation, const RvLiquidUnits* units, double* spacing,
                           double origin[3], RvError* error);
// Particles from points of a start frame; `separation` (m) is what they have without volume and pscale.
RvResult rv_liquid_read(const RvDetail* points, const RvLiquidUnits* units, double separation, RvLiquidGlobals* globals,
                        RvParticles* out, RvLiquidFaults* faults, RvError* error);
// Removes what the solver itself writes of an owner, but P; the other attributes of the detail are only carried.
void rv_liquid_remove_own(RvDetail* detail, RvOwner owner);
// Particles from a state, which rv_state_check has passed. Rows are its points.
RvResult rv_liquid_load(const RvDetail* state, const RvLiquidUnits* units, RvLiquidGlobals* globals, RvParticles* out,
                        RvLiquidFaults* faults, RvError* error);
// A state of these particles, ordered by id. All other attributes of `from`, to whose points their rows refer, are
// carried.
RvResult rv_liquid_save(const RvParticles* particles, const RvLiquidUnits* units, const RvLiquidGlobals* globals,
                        const RvDetail* from, RvDetail** out, RvError* error);

#endif
