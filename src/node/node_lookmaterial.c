// Look Material: what hair, skin, solids, water and the ground look like in pictures, as attributes.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "node/define.h"
#include "node/look.h"
#include "node/shape/select.h"

enum { HAIR, SKIN, SOLID, WATER, BACKDROP };
enum { BY_MELANIN = 5, BY_COLOR };  // of the menu haircolor, after the natural colours
enum { STREAM_COLOR = 70 };         // random stream of the variation of strands

// Conditions under which a parameter of one kind is hidden.
#define IF_HAIR HIDE("{ kind == skin } { kind == solid } { kind == water } { kind == backdrop }")
#define IF_MELANIN                                                                                                     \
  HIDE(                                                                                                                \
      "{ kind == skin } { kind == solid } { kind == water } { kind == backdrop } { haircolor == blonde } "             \
      "{ haircolor == brown } { haircolor == black } { haircolor == red } { haircolor == grey } { haircolor == color " \
      "}")
#define IF_PIGMENT \
  HIDE("{ kind == skin } { kind == solid } { kind == water } { kind == backdrop } { haircolor == color }")
#define IF_MESH HIDE("{ kind == hair } { kind == water } { kind == backdrop }")
#define IF_WATER HIDE("{ kind == hair } { kind == skin } { kind == solid } { kind == backdrop }")
#define IF_BACKDROP HIDE("{ kind == hair } { kind == skin } { kind == solid } { kind == water }")

#define LOOK_PARMS(X)                                                                                                  \
  X(MENU, kind, "Kind", 0, "hair=Hair|skin=Skin|solid=Solid|water=Water|backdrop=Ground and Background",               \
    "What the geometry is.")                                                                                           \
  X(STRING, group, "Group", "", "Primitives to set: groups, numbers and ranges. Empty: all.",                          \
    HIDE("{ kind == water } { kind == backdrop }"))                                                                    \
  X(FOLDER, "Color")                                                                                                   \
  X(MENU, haircolor, "Hair Color", 1,                                                                                  \
    "blonde=Blonde|brown=Brown|black=Black|red=Red|grey=Grey|melanin=By Melanin|color=By Color",                       \
    "A natural colour, or how it is given below.", IF_HAIR)                                                            \
  X(FLOAT, melanin, "Melanin", 0.5, HARD(0), HARD(1), "",                                                              \
    "Amount of pigment: 0 is white, 0.25 blonde, 0.55 brown, 1 black.", IF_MELANIN)                                    \
  X(FLOAT, melaninredness, "Melanin Redness", 0.3, HARD(0), HARD(1), "",                                               \
    "Share of red pigment (pheomelanin): 0.2 is ashen, 0.9 ginger.", IF_MELANIN)                                       \
  X(COLOR, color, "Color", 0.31, 0.225, 0.185, "Colour of a dense mass of the hair, or of the skin or solid.",         \
    HIDE("{ kind == water } { kind == backdrop } { kind == hair haircolor == blonde } { kind == hair haircolor == "    \
         "brown } "                                                                                                    \
         "{ kind == hair haircolor == black } { kind == hair haircolor == red } { kind == hair haircolor == grey } "   \
         "{ kind == hair haircolor == melanin }"))                                                                     \
  X(FLOAT, whitehair, "White Hair", 0, HARD(0), HARD(1), "",                                                           \
    "Share of strands without pigment, beside those of Grey.", IF_HAIR)                                                \
  X(FLOAT, colorrandom, "Color Random", 0.25, HARD(0), HARD(1), "",                                                    \
    "Largest share by which the pigment of single strands differs. 0.2 to 0.4 looks natural.", IF_HAIR)                \
  X(INT, seed, "Seed", 0, SOFT(0), SOFT(100), "", "Seed of the random choices.", IF_HAIR, ADVANCED)                    \
  X(COLOR, tint, "Tint", 0.082, 0.427, 0.577, "Colour of white light after Tint Depth of the liquid.", IF_WATER)       \
  X(FLOAT, tintdepth, "Tint Depth", 1, HARD(1e-6), SOFT(10), "m",                                                      \
    "Length of liquid that gives white light the Tint. Shorter makes it stronger; clear water has 1 m or more, milk "  \
    "tea 1 cm.",                                                                                                       \
    IF_WATER)                                                                                                          \
  X(FOLDER, "Surface")                                                                                                 \
  X(FLOAT, roughness, "Roughness", -1, HARD(-1), HARD(1), "",                                                          \
    "Spread of the highlight; hair: along the fibre. Lower is glossier. -1 uses that of the kind: hair 0.3, skin "     \
    "0.45, solid 0.5, water 0.",                                                                                       \
    HIDE("{ kind == backdrop }"))                                                                                      \
  X(FLOAT, roughnessaround, "Roughness Around", 0.3, HARD(0.02), HARD(1), "",                                          \
    "Spread around the fibre. Higher makes hair more even and translucent.", IF_HAIR)                                  \
  X(FLOAT, ior, "Index of Refraction", -1, HARD(-1), HARD(3), "",                                                      \
    "Higher reflects more. -1 uses that of the kind: hair 1.55, skin 1.44, solid 1.5, water 1.333.",                   \
    HIDE("{ kind == backdrop }"), ADVANCED)                                                                            \
  X(FLOAT, cuticletilt, "Cuticle Tilt", 2.5, HARD(0), HARD(20), "deg",                                                 \
    "Lean of the scales towards the root. It sets the white highlight above the coloured one.", IF_HAIR, ADVANCED)     \
  X(FLOAT, specular, "Specular", 1, HARD(0), HARD(1), "", "Factor on the highlight. 0 is matt.", IF_MESH)              \
  X(FLOAT, subsurface, "Subsurface", 1, HARD(0), HARD(1), "",                                                          \
    "Softness of the shadow's edge by light that scatters below the skin, most in red.",                               \
    HIDE("{ kind == hair } { kind == solid } { kind == water } { kind == backdrop }"))                                 \
  X(FOLDER, "Water on It")                                                                                             \
  X(FLOAT, wetness, "Wetness", 0, HARD(0), HARD(1), "",                                                                \
    "A film of water on skin or solid: darker and glossier. Key it from 0 to 1 where the water arrives. 0 keeps the "  \
    "wetness that the geometry has.",                                                                                  \
    IF_MESH)                                                                                                           \
  X(FLOAT, beads, "Beads", 0, HARD(0), HARD(1), "",                                                                    \
    "How densely beads of water stand on it. They keep their places while the surface moves, by its rest "             \
    "positions (rest) if it has them.",                                                                                \
    IF_MESH)                                                                                                           \
  X(FLOAT, beadradius, "Bead Radius", 0.0012, HARD(1e-6), SOFT(0.005), "m",                                            \
    "Radius of the largest beads. Most are smaller.",                                                                  \
    HIDE("{ kind == hair } { kind == water } { kind == backdrop } { beads == 0 }"))                                    \
  X(FOLDER, "Ground and Background")                                                                                   \
  X(COLOR, topcolor, "Top Color", 0.2, 0.215, 0.24, "Background at the top of the picture.", IF_BACKDROP)              \
  X(COLOR, bottomcolor, "Bottom Color", 0.47, 0.48, 0.49, "Background at the bottom, and colour of the ground.",       \
    IF_BACKDROP)                                                                                                       \
  X(TOGGLE, ground, "Ground", true, "A floor that takes shadows and fades into the background.", IF_BACKDROP)          \
  X(MENU, groundat, "Ground At", 0, "lowest=Lowest Point|height=Height", "Where the floor lies.",                      \
    HIDE("{ kind == hair } { kind == skin } { kind == solid } { kind == water } { ground == 0 }"))                     \
  X(FLOAT, groundheight, "Ground Height", 0, SOFT(-10), SOFT(10), "m", "Height of the floor.",                         \
    HIDE("{ kind == hair } { kind == skin } { kind == solid } { kind == water } { ground == 0 } { groundat == lowest " \
         "}"))
RV_PARM_TABLE(LookmaterialParms, lookmaterial_table, LOOK_PARMS)

// Absorption of the two pigments by red, green and blue, per fibre radius and unit of concentration (d'Eon et al. 2011,
// "An energy-conserving hair reflectance model").
static const double EUMELANIN[3] = {0.419, 0.697, 1.37};
static const double PHEOMELANIN[3] = {0.187, 0.4, 1.05};
static const double LARGEST_SHARE = 0.993;  // of 1 - exp: melanin 1 is a concentration of 8, black
static const double CONCENTRATION = 1.6;    // scale of the concentration
static const double WHITE = 0.72;           // colour of dense hair without pigment
static const double GREYED = 0.33;          // the same of greyed strands in the mean
static const double GREYED_SPREAD = 0.7;    // of greyed strands around the mean, over Color Random
static const double DARKEST_GREYED = 0.05;
static const double DEFAULT_HAIR[3] = {0.1, 0.045, 0.02};  // colour of strands outside the group

// The natural colours, in the order of the menu: melanin, redness, share of greyed strands. These lost more or less of
// their pigment. White strands between dark ones would look like wires.
static const double NATURAL[BY_MELANIN][3] = {
    {0.045, 0.35, 0}, {0.42, 0.32, 0}, {1, 0.1, 0}, {0.36, 0.99, 0}, {0.62, 0.1, 0.9}};

// Defaults of the kinds.
static const double ROUGHNESS[] = {RV_LOOK_HAIR_ROUGHNESS, 0.45, 0.5, 0, 0};
static const double INDEX[] = {RV_LOOK_HAIR_IOR, 1.44, 1.5, 1.333, 1};

// One cook.
typedef struct Look {
  const LookmaterialParms* p;
  RvDetail* out;
  const uint8_t* mask;  // of primitives; NULL: all
  double metres;        // of a scene unit
} Look;

//---------------------------------------------------------------------------------------------- attributes

// Writes values of primitives, `size` numbers each. An attribute of that name on points or vertices, which would hide
// them, becomes one of primitives: each gets the value of its first point. Those outside the group keep their value, or
// get `otherwise`.
static RvResult put(const Look* l, const char* name, int size, RvTag tag, const double* values, const double* otherwise,
                    RvError* error) {
  const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  const RvAttrib* old = NULL;
  for (int i = 0; i < 4 && !old; ++i) {
    old = rv_detail_find(l->out, owners[i], name);
    if (old && (rv_attrib_storage(old) == RV_STRING || rv_attrib_size(old) < size)) old = NULL;
  }
  size_t nprim = rv_detail_count(l->out, RV_PRIM);
  float* kept = rv_alloc(nprim, (size_t)size * sizeof(float));
  if (!kept) return rv_fail(error, RV_NO_MEMORY, "out of memory for the look of %zu primitives", nprim);
  const int32_t* start = rv_detail_prim_start(l->out);
  const int32_t* point = rv_detail_vertex_point(l->out);
  for (size_t i = 0; i < nprim; ++i)
    for (int k = 0; k < size; ++k) {
      size_t to = (size_t)size * i + (size_t)k;
      RvOwner owner = old ? rv_attrib_owner(old) : RV_GLOBAL;
      size_t vertex = (size_t)start[i];
      bool bare = start[i + 1] == start[i] && owner != RV_PRIM && owner != RV_GLOBAL;
      size_t at = owner == RV_PRIM             ? i
                  : owner == RV_GLOBAL || bare ? 0
                  : owner == RV_POINT          ? (size_t)point[vertex]
                                               : vertex;
      bool selected = !l->mask || l->mask[i];
      kept[to] = (float)(selected ? values[to] : old && !bare ? rv_attrib_get(old, at, k) : otherwise[k]);
    }
  for (int i = 0; i < 4; ++i) rv_detail_remove_attrib(l->out, owners[i], name);
  RvAttrib* a = NULL;
  RvResult result = rv_detail_add_attrib(l->out, RV_PRIM, name, RV_F32, size, tag, &a, error);
  float* to = result ? NULL : rv_detail_f32_write(l->out, RV_PRIM, name, size, error);
  if (to) memcpy(to, kept, nprim * (size_t)size * sizeof(float));
  rv_free(kept);
  return result || to ? result : rv_fail(error, RV_NO_MEMORY, "out of memory for the look of %zu primitives", nprim);
}

// Writes one number for all primitives of the group.
static RvResult put_number(const Look* l, const char* name, double value, double otherwise, RvError* error) {
  size_t nprim = rv_detail_count(l->out, RV_PRIM);
  double* values = rv_alloc(nprim, sizeof(double));
  if (!values) return rv_fail(error, RV_NO_MEMORY, "out of memory for the look of %zu primitives", nprim);
  for (size_t i = 0; i < nprim; ++i) values[i] = value;
  RvResult result = put(l, name, 1, RV_TAG_NONE, values, &otherwise, error);
  rv_free(values);
  return result;
}

// Writes detail attributes.
static RvResult put_detail(const Look* l, const char* name, int size, const double* values, RvError* error) {
  float* to = rv_detail_f32_write(l->out, RV_GLOBAL, name, size, error);
  for (int k = 0; to && k < size; ++k) to[k] = (float)values[k];
  return to ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute %s", name);
}

// Roughness and index: those given, or those of the kind.
static double roughness_of(const LookmaterialParms* p) {
  return p->roughness >= 0 ? p->roughness : ROUGHNESS[p->kind];
}
static double index_of(const LookmaterialParms* p) {
  return p->ior >= 0 ? p->ior : INDEX[p->kind];
}

//---------------------------------------------------------------------------------------------- hair

// Colour of dense hair of one strand.
static void strand_color(const LookmaterialParms* p, uint64_t id, double* color) {
  double vary = 1 + p->colorrandom * (2 * rv_random((uint64_t)p->seed, STREAM_COLOR, id, 0) - 1);
  bool natural = p->haircolor < BY_MELANIN;
  double greyed_share = natural ? NATURAL[p->haircolor][2] : 0;
  double chance = rv_random((uint64_t)p->seed, STREAM_COLOR, id, 1);
  bool white = chance < p->whitehair;
  bool greyed = !white && chance < p->whitehair + (1 - p->whitehair) * greyed_share;
  double spread = GREYED_SPREAD * p->colorrandom * (2 * rv_random((uint64_t)p->seed, STREAM_COLOR, id, 2) - 1);
  double grey = rv_clamp(GREYED + spread, DARKEST_GREYED, WHITE);
  double melanin = natural ? NATURAL[p->haircolor][0] : p->melanin;
  double redness = natural ? NATURAL[p->haircolor][1] : p->melaninredness;
  double concentration = -CONCENTRATION * rv_log_e(1 - LARGEST_SHARE * melanin);
  for (int k = 0; k < 3; ++k) {
    double absorption = concentration * ((1 - redness) * EUMELANIN[k] + redness * PHEOMELANIN[k]);
    if (p->haircolor == BY_COLOR) absorption = rv_look_absorption(p->color[k], p->roughnessaround);
    // Even strands without pigment absorb a little.
    double least = rv_look_absorption(greyed ? grey : WHITE, p->roughnessaround);
    absorption = white || greyed ? least : vary * absorption + (p->haircolor == BY_COLOR ? 0 : least);
    color[k] = rv_look_color(absorption, p->roughnessaround);
  }
}

// Number of a strand for its random choices: its id, so that it keeps its colour when others are deleted.
static uint64_t strand_number(const RvAttrib* id, size_t prim) {
  double x = id ? rv_attrib_get(id, prim, 0) : (double)prim;
  return (uint64_t)(int64_t)rv_clamp(x, -0x1p53, 0x1p53);
}

// Writes the look of strands.
static RvResult write_hair(const Look* l, RvError* error) {
  const LookmaterialParms* p = l->p;
  size_t nprim = rv_detail_count(l->out, RV_PRIM), curves = 0;
  for (size_t i = 0; i < nprim; ++i) curves += rv_detail_prim_type(l->out, i) == RV_PRIM_CURVE;
  if (curves == 0 && nprim > 0)
    return rv_fail(error, RV_BAD_INPUT, "kind is hair, but input 1 has no curves: choose the kind of its geometry");
  double* colors = rv_alloc(nprim, 3 * sizeof(double));
  if (!colors) return rv_fail(error, RV_NO_MEMORY, "out of memory for the colours of %zu strands", nprim);
  const RvAttrib* id = rv_detail_find(l->out, RV_PRIM, "id");
  if (id && rv_attrib_storage(id) == RV_STRING) id = NULL;
  for (size_t i = 0; i < nprim; ++i) strand_color(p, strand_number(id, i), colors + 3 * i);
  RvResult result = put(l, "Cd", 3, RV_TAG_COLOR, colors, DEFAULT_HAIR, error);
  rv_free(colors);
  if (!result) result = put_number(l, RV_LOOK_ROUGHNESS, roughness_of(p), RV_LOOK_HAIR_ROUGHNESS, error);
  if (!result) result = put_number(l, RV_LOOK_ROUGHNESS_AROUND, p->roughnessaround, RV_LOOK_HAIR_ROUGHNESS, error);
  if (!result) result = put_number(l, RV_LOOK_IOR, index_of(p), RV_LOOK_HAIR_IOR, error);
  if (!result) result = put_number(l, RV_LOOK_TILT, p->cuticletilt, RV_LOOK_HAIR_TILT, error);
  return result;
}

//---------------------------------------------------------------------------------------------- other kinds

// Writes the look of skin or of a solid.
static RvResult write_mesh(const Look* l, RvError* error) {
  const LookmaterialParms* p = l->p;
  size_t nprim = rv_detail_count(l->out, RV_PRIM);
  double* colors = rv_alloc(nprim, 3 * sizeof(double));
  if (!colors) return rv_fail(error, RV_NO_MEMORY, "out of memory for the colours of %zu faces", nprim);
  for (size_t i = 0; i < 3 * nprim; ++i) colors[i] = p->color[i % 3];
  RvResult result = put(l, "Cd", 3, RV_TAG_COLOR, colors, p->color, error);
  rv_free(colors);
  if (!result) result = put_number(l, RV_LOOK_ROUGHNESS, roughness_of(p), ROUGHNESS[SOLID], error);
  if (!result) result = put_number(l, RV_LOOK_IOR, index_of(p), INDEX[SOLID], error);
  if (!result) result = put_number(l, RV_LOOK_SPECULAR, p->specular, 1, error);
  if (!result) result = put_number(l, RV_LOOK_SUBSURFACE, p->kind == SKIN ? p->subsurface : 0, 0, error);
  if (!result && p->wetness > 0) result = put_number(l, "wetness", p->wetness, 0, error);
  if (!result && p->beads > 0) result = put_number(l, RV_LOOK_BEADS, p->beads, 0, error);
  if (!result && p->beads > 0) result = put_number(l, RV_LOOK_BEAD_RADIUS, p->beadradius, p->beadradius, error);
  return result;
}

// Writes the look of a liquid: absorption follows Beer's law from the tint.
static RvResult write_water(const Look* l, RvError* error) {
  const LookmaterialParms* p = l->p;
  double values[5] = {[3] = index_of(p), [4] = roughness_of(p)};
  for (int k = 0; k < 3; ++k) values[k] = -rv_log_e(rv_clamp(p->tint[k], 1e-6, 1)) / p->tintdepth;
  return put_detail(l, RV_LOOK_WATER, 5, values, error);
}

// Writes ground and background.
static RvResult write_backdrop(const Look* l, RvError* error) {
  const LookmaterialParms* p = l->p;
  const double colors[6] = {p->topcolor[0],    p->topcolor[1],    p->topcolor[2],
                            p->bottomcolor[0], p->bottomcolor[1], p->bottomcolor[2]};
  const double ground[3] = {p->ground, p->groundat, p->groundheight};
  RvResult result = put_detail(l, RV_LOOK_BACKDROP, 6, colors, error);
  return result ? result : put_detail(l, RV_LOOK_GROUND, 3, ground, error);
}

// Copies the input and writes the look.
static RvResult cook(RvCook* cook, RvError* error) {
  const LookmaterialParms* p = cook->parms;
  const RvDetail* in = cook->ninput ? cook->input[0] : NULL;
  if (!in && p->kind != BACKDROP)
    return rv_fail(error, RV_BAD_INPUT, "input 1 is not wired: only Ground and Background needs no geometry");
  RvOwner owner;
  uint8_t* mask = NULL;
  bool grouped = *p->group && p->kind != WATER && p->kind != BACKDROP;
  RvResult result = grouped ? rv_select(in, p->group, RV_SELECT_PRIMS, &owner, &mask, error) : RV_OK;
  if (result) return result;
  Look l = {
      .p = p,
      .out = in ? rv_detail_copy(in) : rv_detail_new(),
      .mask = mask,
      .metres = cook->time.meters_per_unit,
  };
  if (!l.out) result = rv_fail(error, RV_NO_MEMORY, "out of memory for a copy");
  if (!result)
    result = p->kind == HAIR       ? write_hair(&l, error)
             : p->kind == WATER    ? write_water(&l, error)
             : p->kind == BACKDROP ? write_backdrop(&l, error)
                                   : write_mesh(&l, error);
  rv_free(mask);
  return rv_node_give(cook, l.out, result);
}

static const RvPortDef inputs[] = {
    {"geometry", "Geometry", "Strands, a mesh, or a liquid. Ground and Background needs none.", false}};
static const RvPortDef outputs[] = {
    {"geometry", "Geometry", "The same geometry with the attributes of its look.", false}};

RV_NODE_TYPE(
    lookmaterial, "Look Material", "Geometry",
    "Sets what hair, skin, solids, water and the ground look like in pictures.",
    "The flipbook and other renderers read the attributes; solvers do not, so place the node behind the solver "
    "or its cache: changing a colour then simulates nothing again. material is the node for properties that "
    "solvers read.\n\n"
    "Hair gets Cd, roughness, roughnessaround, ior and cuticletilt on strands. Cd is the colour of a dense mass "
    "of such hair; the flipbook turns it into absorption of the fibre (Chiang et al. 2016). Skin and solids get "
    "Cd, roughness, ior, specular, subsurface, and where there is water wetness, beads and beadradius on faces. "
    "Attributes of the same names on points or vertices "
    "are replaced. Liquid gets the detail attribute rv_look_water (absorption per unit length, index, "
    "roughness); ground and background are rv_look_ground and rv_look_backdrop.",
    RV_NODE_INPUTS(inputs), RV_NODE_OUTPUTS(outputs))
