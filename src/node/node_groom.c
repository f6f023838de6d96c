// Groom: grows strands on a mesh. Placement, attributes and limits are here; the shape of a strand is in
// groom/shape.c.
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "node/define.h"
#include "node/groom/body.h"
#include "node/groom/clump.h"
#include "node/groom/comb.h"
#include "node/shape/select.h"

#define GROOM_PARMS(X)                                                                                                 \
  X(FOLDER, "Placement")                                                                                               \
  X(MENU, method, "Method", 0, "count=Count|density=Density", "Sets either the number of strands or their density.")   \
  X(INT, count, "Count", 1000, HARD(1), SOFT(100000), "",                                                              \
    "Number of strands, before the Density Attribute thins them out. Raising it adds strands between the existing "    \
    "ones, which stay as they are.",                                                                                   \
    HIDE("{ method == density }"))                                                                                     \
  X(FLOAT, density, "Density", 100000, HARD(0), SOFT(2000000), "m-2",                                                  \
    "Strands per square metre. A human scalp has about two million.", HIDE("{ method == count }"))                     \
  X(INT, seed, "Seed", 0, SOFT(0), SOFT(100), "",                                                                      \
    "Seed of all random choices. Another seed grows another groom of the same kind.")                                  \
  X(STRING, group, "Skin Group", "", "Faces of the skin that bear hair. Empty: all faces.", ADVANCED,                  \
    HIDE("{ hasinput(0) == 0 }"))                                                                                      \
  X(STRING, densityattrib, "Density Attribute", "density",                                                             \
    "Point attribute of the skin, 0 to 1, that thins the hair: the share of strands that grow there. A missing "       \
    "attribute counts as 1.",                                                                                          \
    ADVANCED, HIDE("{ hasinput(0) == 0 }"))                                                                            \
  X(MENU, layout, "Layout", 0, "disk=Disk|row=Row",                                                                    \
    "Where strands grow when no skin is wired: on a disk in the XZ plane around the origin, or in a row from the "     \
    "origin along X. The normal points up.",                                                                           \
    HIDE("{ hasinput(0) == 1 }"))                                                                                      \
  X(FLOAT, size, "Disk Size", 0.1, HARD(0), SOFT(1), "m", "Diameter of the disk.",                                     \
    HIDE("{ layout == row } { hasinput(0) == 1 }"))                                                                    \
  X(FLOAT, spacing, "Row Spacing", 0.001, HARD(0), SOFT(0.1), "m",                                                     \
    "Distance between neighbouring strands of the row.", HIDE("{ layout == disk } { hasinput(0) == 1 }"))              \
  X(FOLDER, "Strand")                                                                                                  \
  X(FLOAT, length, "Length", 0.1, HARD(0), SOFT(1), "m", "Length of a strand along the fibre, curls included.")        \
  X(FLOAT, lengthrandom, "Length Random", 0.1, HARD(0), HARD(1), "",                                                   \
    "Largest share by which single strands are shorter. 0 makes all equal; 0.1 to 0.3 looks natural.")                 \
  X(STRING, lengthattrib, "Length Attribute", "",                                                                      \
    "Point attribute of the skin that multiplies the length, to paint a haircut. Empty: none.", ADVANCED,              \
    HIDE("{ hasinput(0) == 0 }"))                                                                                      \
  X(INT, points, "Points", 16, HARD(2), HARD(4096), "",                                                                \
    "Points of a strand, root and tip included. Curls need at least 6 points a turn; the node warns below that.")      \
  X(FLOAT, radius, "Hair Radius", 4e-5, HARD(0), SOFT(0.0002), "m",                                                    \
    "Radius of the fibre for the simulation, written as hairradius. Human hair has 25 to 60 micrometres.")             \
  X(FLOAT, widthscale, "Width Scale", 1, HARD(0), SOFT(10), "",                                                        \
    "Multiplies the rendered diameter, written as width: twice the radius times this times the Taper.")                \
  X(RAMP, taper, "Taper", "0 1 linear, 0.6 1 smooth, 1 0.3 linear", "Rendered width from root (left) to tip (right).") \
  X(FOLDER, "Direction")                                                                                               \
  X(VEC3, direction, "Comb Direction", 0, -1, 0, SOFT(-1), SOFT(1), "",                                                \
    "Direction in which the hair is combed and falls; down is gravity.")                                               \
  X(FLOAT, directionrandom, "Direction Random", 0.1, HARD(0), SOFT(1), "",                                             \
    "Deviation of single strands from the Comb Direction. From 0.1 on strands also cross at the crown, which would "   \
    "be bare otherwise.",                                                                                              \
    ADVANCED)                                                                                                          \
  X(STRING, combattrib, "Comb Attribute", "comb",                                                                      \
    "Point attribute of the skin, a vector, that replaces the Comb Direction where it is not zero. A missing "         \
    "attribute changes nothing.",                                                                                      \
    ADVANCED, HIDE("{ hasinput(0) == 0 }"))                                                                            \
  X(FLOAT, combweight, "Guide Weight", 1, HARD(0), HARD(1), "",                                                        \
    "How closely strands follow the guide curves of input 2: 0 ignores them, 1 takes their shape.",                    \
    HIDE("{ hasinput(1) == 0 }"))                                                                                      \
  X(FLOAT, combreach, "Guide Reach", 0, HARD(0), SOFT(0.2), "m",                                                       \
    "Distance from the root of a guide over which it acts. 0: guides comb the whole groom.",                           \
    HIDE("{ hasinput(1) == 0 }"))                                                                                      \
  X(MENU, parting, "Parting", 0, "none=None|middle=Middle|left=Left|right=Right",                                      \
    "Parts the hair on top of the skin from front (+Z) to back, in the middle or on the person's left (+X) or right. " \
    "Curves in input 3 are partings of any form instead.",                                                             \
    HIDE("{ hasinput(2) == 1 }"))                                                                                      \
  X(FLOAT, partingstrength, "Parting Strength", 0.8, HARD(0), HARD(1), "",                                             \
    "How sharply hair falls away from the parting: 0.3 is a soft wave, 1 a clean line.",                               \
    HIDE("{ hasinput(2) == 0 parting == none }"))                                                                      \
  X(FLOAT, partingwidth, "Parting Width", 0.05, HARD(1e-6), SOFT(0.2), "m",                                            \
    "Distance from the parting over which it turns the hair.", HIDE("{ hasinput(2) == 0 parting == none }"))           \
  X(FLOAT, lift, "Lift", 0.6, HARD(0), HARD(1), "",                                                                    \
    "Angle at which strands leave the skin: 1 along its normal, 0 flat along it towards the Comb Direction.")          \
  X(FLOAT, bend, "Bend", 0.9, HARD(0), HARD(1), "",                                                                    \
    "Share of the turn towards the Comb Direction that a strand completes from root to tip. Coiled and afro styles, "  \
    "which their own curls hold up, use 0.6 and 0.15 of it.")                                                          \
  X(FLOAT, bendlength, "Bend Length", 0.05, HARD(0), SOFT(0.5), "m",                                                   \
    "Length over which a strand bends over. Human hair under its own weight has (EI / (density A g))^(1/3), about 5 "  \
    "cm.",                                                                                                             \
    ADVANCED)                                                                                                          \
  X(TOGGLE, avoidskin, "Avoid Skin", 1,                                                                                \
    "Makes strands slide along a rounded skin, such as a head, instead of entering it, and along what the skin has "   \
    "besides its Skin Group, such as shoulders.",                                                                      \
    ADVANCED, HIDE("{ hasinput(0) == 0 }"))                                                                            \
  X(FOLDER, "Curl")                                                                                                    \
  X(MENU, style, "Style", 0, "straight=Straight|wavy=Wavy|curly=Curly|coiled=Coiled|afro=Afro",                        \
    "Form of the curls: none, waves in a plane, loose helices, springs, or tight coils that change their sense of "    \
    "turning.")                                                                                                        \
  X(FLOAT, curlradius, "Curl Radius", 0, HARD(0), SOFT(0.02), "m",                                                     \
    "Radius of the helix, or amplitude of the wave. 0 uses the style's own: wavy 6, curly 8, coiled 5, afro 2.5 mm.",  \
    HIDE("{ style == straight }"))                                                                                     \
  X(FLOAT, curlpitch, "Curl Pitch", 0, HARD(0), SOFT(0.1), "m",                                                        \
    "Rise of one turn along the centre of the curl. 0 uses the style's own: wavy 60, curly 35, coiled 10, afro 5 mm.", \
    HIDE("{ style == straight }"))                                                                                     \
  X(FLOAT, curlrandom, "Curl Random", 0.2, HARD(0), HARD(0.9), "",                                                     \
    "Variation of radius, pitch and phase from strand to strand, as a share.", HIDE("{ style == straight }"))          \
  X(FLOAT, curlstart, "Curl Start", 0.05, HARD(0), HARD(1), "",                                                        \
    "Share of the strand, from the root, that stays without curl.", HIDE("{ style == straight }"), ADVANCED)           \
  X(FLOAT, curlblend, "Curl Blend", 0.15, HARD(0), HARD(1), "",                                                        \
    "Share of the strand over which the curl grows to its full radius.", HIDE("{ style == straight }"), ADVANCED)      \
  X(FLOAT, frizz, "Frizz", 0, HARD(0), SOFT(0.01), "m",                                                                \
    "Amplitude of the irregular sway of single strands, growing from the root. 1 to 3 mm is visible frizz.")           \
  X(FLOAT, frizzlength, "Frizz Length", 0.02, HARD(1e-6), SOFT(0.1), "m", "Wavelength of the sway.", ADVANCED,         \
    WHEN("{ frizz == 0 }"))                                                                                            \
  X(FOLDER, "Clumps")                                                                                                  \
  X(FLOAT, clumpsize, "Clump Size", 0, HARD(0), SOFT(0.05), "m",                                                       \
    "Mean distance of clumps on the skin. 0 makes no clumps; 5 to 20 mm suits scalp hair.")                            \
  X(FLOAT, tightness, "Tightness", 0.7, HARD(0), HARD(1), "",                                                          \
    "Strength with which strands are drawn to the centre of their clump: their distance shrinks by 1 - tightness "     \
    "times the Tightness Ramp.",                                                                                       \
    WHEN("{ clumpsize == 0 }"))                                                                                        \
  X(RAMP, tightnessramp, "Tightness Ramp", "0 0 smooth, 0.4 0.85 linear, 1 1 linear",                                  \
    "Tightness from root (left) to tip (right).", WHEN("{ clumpsize == 0 }"))                                          \
  X(FLOAT, clumptwist, "Clump Twist", 0, SOFT(-360), SOFT(360), "deg",                                                 \
    "Twist of a clump about its centre from root to tip.", WHEN("{ clumpsize == 0 }"))                                 \
  X(FLOAT, crossoverrate, "Crossover Rate", 0, HARD(0), HARD(1), "",                                                   \
    "Share of strands that join the neighbouring clump instead of their own.", WHEN("{ clumpsize == 0 }"), ADVANCED)   \
  X(FLOAT, strayamount, "Stray Amount", 0, HARD(0), HARD(1), "",                                                       \
    "Share of strands that fly away: they join no clump and have more frizz. 0.01 to 0.05 looks natural.")             \
  X(FOLDER, "Attributes")                                                                                              \
  X(STRING, primnumattrib, "Primitive Number", "skinprim",                                                             \
    "Primitive attribute for the number of the skin face at the root.", ADVANCED)                                      \
  X(STRING, primuvwattrib, "Primitive UVW", "skinprimuv",                                                              \
    "Primitive attribute for the parametric position of the root on that face.", ADVANCED)                             \
  X(STRING, clumpidoutputattrib, "Clump ID", "clumpid",                                                                \
    "Primitive attribute for the number of the clump; -1 for none.", ADVANCED)                                         \
  X(STRING, skinattribs, "Skin Attributes", "",                                                                        \
    "Point attributes of the skin that each strand takes from its root, as primitive attributes.", ADVANCED,           \
    HIDE("{ hasinput(0) == 0 }"))
RV_PARM_TABLE(GroomParms, groom_table, GROOM_PARMS)

// Random streams, one for each purpose.
enum { STREAM_ROOT = 1, STREAM_CLUMP = 2, STREAM_KEEP = 11, STREAM_LENGTH = 12, STREAM_CROSS = 13, STREAM_STRAY = 14 };
enum {
  GRAIN = 32,  // strands a task
  CANDIDATES_A_TASK = 1024,
  BATCH = 8192,  // strands between two questions whether to stop
  MAX_CLUMPS = 1 << 18,
  POINTS_A_TURN = 6,                       // of a curl, below which the node warns
  POINT_BYTES = 12 + 12 + 4 + 4 + 16 + 4,  // P rest width curveu orient, and its vertex
  PRIM_BYTES = 48,
  MAX_GIB = 8  // of the output
};

static const double LEAST_LENGTH_FACTOR = 1e-6;  // painted length below which no strand grows
static const double AFRO_FRIZZ = 0.5;            // extra frizz of the afro style, in curl radii
static const double STRAY_FRIZZ = 0.02;          // extra frizz of strays, in strand lengths
static const uint64_t CLUMP_ID = 1ull << 41;     // keeps the random numbers of clumps apart from those of strands

// Place of the parting from the middle of the skin, in half widths of it, by the entries of parting.
static const double parting_places[] = {0, 0, 0.4, -0.4};

// Entries of style.
enum { STRAIGHT, WAVY, CURLY, COILED, AFRO };

// Curl radius and pitch in metres, factor on the bend, share of kinks. The pitch of two radii of the coiled styles is
// that of the afro-hair system's coils (AH-1, spec 6.2: radius 0.5, length 4, 4 curls).
static const struct {
  double radius, pitch, bend, kinks;
} styles[] = {
    [STRAIGHT] = {0, 0, 1, 0},        [WAVY] = {0.006, 0.06, 1, 0},         [CURLY] = {0.008, 0.035, 1, 0},
    [COILED] = {0.005, 0.01, 0.6, 0}, [AFRO] = {0.0025, 0.005, 0.15, 0.35},
};

// State of one cook.
typedef struct Groom {
  RvCook* cook;
  const GroomParms* p;
  uint64_t seed;
  bool has_skin;
  RvSkin skin;
  RvSkinHull hull;
  RvGroomBody body;  // what the skin has besides the faces that bear hair
  RvGroomShape shape;
  RvVec3 direction;  // comb direction, unit
  RvGroomClumps clumps;
  RvGroomComb comb;
  const RvAttrib *density, *length, *combed;
  size_t candidates, count;  // strands before and after thinning out
  int32_t* ids;              // [count] numbers of the strands
  uint8_t* keep;             // [candidates] 1: the strand grows
  float *width, *curveu;     // [points] the same for all strands
  // Output arrays.
  RvDetail* out;
  float *P, *rest, *out_width, *out_curveu, *orient, *uvw, *hairradius;
  int32_t *prim, *id, *clump;
} Groom;

//---------------------------------------------------------------------------------------------- roots

// Root k of a stream, on the skin or in the layout.
static RvSkinFrame place(const Groom* g, uint64_t stream, uint64_t k, RvSite* site) {
  *site = (RvSite){-1, 0, 0};
  if (g->has_skin) {
    *site = rv_skin_site(&g->skin, g->seed, stream, k);
    // Rounded to the float of the attribute, so that skinprimuv gives exactly this root.
    site->u = (float)site->u;
    site->v = (float)site->v;
    return rv_skin_frame(&g->skin, *site);
  }
  // Without a skin: a row along X, or a disk in the XZ plane.
  RvSkinFrame f = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  if (g->p->layout == 1) {
    f.position.x = stream == STREAM_ROOT ? (double)k * g->p->spacing : ((double)k + 0.5) * g->p->clumpsize;
    return f;
  }
  // The square root makes the density even over the disk.
  double r = g->p->size / 2 * sqrt(rv_sobol(g->seed, stream, k, 0));
  double a = 2 * RV_PI * rv_sobol(g->seed, stream, k, 1);
  f.position.x = r * rv_cos(a);
  f.position.z = r * rv_sin(a);
  return f;
}

// Random number in [0, 1) of strand k.
static double chance(const Groom* g, uint64_t stream, uint64_t k) {
  return rv_random(g->seed, stream, k, 0);
}

// Comb direction and guides of a root.
static void comb_root(const Groom* g, const RvSite* site, RvGroomRoot* root) {
  root->direction = g->direction;
  if (g->combed) {
    RvVec3 painted = rv_vec3(rv_skin_value(&g->skin, *site, g->combed, 0), rv_skin_value(&g->skin, *site, g->combed, 1),
                             rv_skin_value(&g->skin, *site, g->combed, 2));
    root->direction = rv_normalize(painted, g->direction);
  }
  rv_groom_comb_root(&g->comb, root);
}

// Root, length and clump of strand k.
static RvGroomRoot make_root(const Groom* g, uint64_t k, RvSite* site) {
  RvGroomRoot root = {.frame = place(g, STREAM_ROOT, k, site), .id = k, .clump = -1};
  root.length = g->p->length * (1 - g->p->lengthrandom * chance(g, STREAM_LENGTH, k));
  if (g->length) root.length *= rv_skin_value(&g->skin, *site, g->length, 0);
  comb_root(g, site, &root);
  root.stray = chance(g, STREAM_STRAY, k) < g->p->strayamount;
  if (!root.stray && g->clumps.count)
    root.clump = rv_groom_clump_of(&g->clumps, &root, chance(g, STREAM_CROSS, k) < g->p->crossoverrate);
  return root;
}

// Decides which candidates grow, by the painted density and length.
static void choose_range(void* arg, size_t begin, size_t end) {
  Groom* g = arg;
  for (size_t k = begin; k < end; ++k) {
    RvSite site;
    // The same root as make_root finds, so that painting one place changes nothing elsewhere.
    if (g->has_skin && (g->density || g->length)) place(g, STREAM_ROOT, k, &site);
    bool keep = !g->density || chance(g, STREAM_KEEP, k) < rv_skin_value(&g->skin, site, g->density, 0);
    if (keep && g->length) keep = rv_skin_value(&g->skin, site, g->length, 0) > LEAST_LENGTH_FACTOR;
    g->keep[k] = keep;
  }
}

// Lists the strands that grow.
static RvResult choose_strands(Groom* g, RvError* error) {
  g->keep = rv_alloc(g->candidates, 1);
  if (!g->keep) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", g->candidates);
  rv_parallel_for(g->candidates, CANDIDATES_A_TASK, choose_range, g);
  // Ids are the numbers of the candidates: they stay when others are thinned out.
  for (size_t k = 0; k < g->candidates; ++k) g->count += g->keep[k];
  g->ids = rv_alloc(g->count, sizeof *g->ids);
  if (!g->ids) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", g->count);
  for (size_t k = 0, n = 0; k < g->candidates; ++k)
    if (g->keep[k]) g->ids[n++] = (int32_t)k;
  return RV_OK;
}

// Places the clumps and grows their centre lines.
static RvResult make_clumps(Groom* g, RvError* error) {
  double size = g->p->clumpsize;
  if (!(size > 0) || !g->count) return RV_OK;
  double area = g->has_skin ? g->skin.area : RV_PI / 4 * g->p->size * g->p->size;
  double wanted = !g->has_skin && g->p->layout == 1 ? (double)g->candidates * g->p->spacing / size : area / size / size;
  if (wanted > MAX_CLUMPS)
    return rv_fail(error, RV_LIMIT, "clumpsize %g makes %.0f clumps, more than %d: raise it", size, wanted, MAX_CLUMPS);
  // Roots of the clumps, with the mean length there.
  size_t count = wanted < 1 ? 1 : (size_t)(wanted + 0.5);
  RvGroomRoot* roots = rv_alloc(count, sizeof *roots);
  if (!roots) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu clumps", count);
  for (size_t i = 0; i < count; ++i) {
    RvSite site;
    roots[i] = (RvGroomRoot){.frame = place(g, STREAM_CLUMP, i, &site), .id = i | CLUMP_ID, .clump = -1};
    roots[i].length = g->p->length;
    comb_root(g, &site, &roots[i]);
    if (g->length) roots[i].length *= fmax(rv_skin_value(&g->skin, site, g->length, 0), LEAST_LENGTH_FACTOR);
  }
  return rv_groom_clumps_init(&g->clumps, &g->shape, count, roots, error);
}

//---------------------------------------------------------------------------------------------- set-up

// Finds a numeric point attribute of the skin.
static RvResult skin_attrib(const Groom* g, const char* token, const char* name, bool needed, const RvAttrib** out,
                            RvError* error) {
  *out = NULL;
  if (!g->has_skin || !*name) return RV_OK;
  const RvAttrib* found = rv_detail_find(g->skin.detail, RV_POINT, name);
  if (!found && needed) return rv_fail(error, RV_BAD_INPUT, "%s: the skin has no point attribute '%s'", token, name);
  if (found && rv_attrib_storage(found) == RV_STRING)
    return rv_fail(error, RV_BAD_INPUT, "%s: point attribute '%s' of the skin is a string, not a number", token, name);
  *out = found;
  return RV_OK;
}

// Reads the skin and its painted attributes.
static RvResult open_skin(Groom* g, RvError* error) {
  const RvDetail* detail = g->cook->ninput ? g->cook->input[0] : NULL;
  if (!detail) {
    if (g->p->layout == 0 && !(g->p->size > 0))
      return rv_fail(error, RV_BAD_INPUT, "size: the diameter of the disk must be above 0");
    return RV_OK;
  }
  // The faces of the group, and what is painted on them.
  RvOwner owner;
  uint8_t* mask = NULL;
  RvResult result = rv_select(detail, g->p->group, RV_SELECT_PRIMS, &owner, &mask, error);
  if (result == RV_OK)
    result = rv_skin_init(&g->skin, detail, mask, RV_SKIN_NEED_AREA | RV_SKIN_OUTWARD, "input 1, the skin", error);
  if (result == RV_OK && g->p->avoidskin) result = rv_groom_body_init(&g->body, detail, mask, error);
  rv_free(mask);
  g->has_skin = result == RV_OK;
  // Strands that would grow into the skin are pushed out of its hull.
  if (g->has_skin && g->p->avoidskin) rv_skin_hull_init(&g->hull, &g->skin);
  if (result == RV_OK) result = skin_attrib(g, "densityattrib", g->p->densityattrib, false, &g->density, error);
  if (result == RV_OK) result = skin_attrib(g, "lengthattrib", g->p->lengthattrib, true, &g->length, error);
  if (result == RV_OK) result = skin_attrib(g, "combattrib", g->p->combattrib, false, &g->combed, error);
  if (result == RV_OK && g->combed && rv_attrib_size(g->combed) != 3)
    result = rv_fail(error, RV_BAD_INPUT, "combattrib: '%s' of the skin has %d numbers; a direction has 3",
                     g->p->combattrib, rv_attrib_size(g->combed));
  return result;
}

// Reads guides and partings from inputs 2 and 3, or places the parting that the menu asks for.
static RvResult open_comb(Groom* g, RvError* error) {
  const GroomParms* p = g->p;
  const RvDetail* guides = g->cook->ninput > 1 ? g->cook->input[1] : NULL;
  const RvDetail* partings = g->cook->ninput > 2 ? g->cook->input[2] : NULL;
  g->comb.guide_weight = p->combweight;
  g->comb.guide_reach = p->combreach;
  g->comb.part_strength = p->partingstrength;
  g->comb.part_width = p->partingwidth;
  RvResult result = guides ? rv_groom_comb_guides(&g->comb, guides, "input 2, the guides", error) : RV_OK;
  if (result == RV_OK && partings) result = rv_groom_comb_partings(&g->comb, partings, "input 3, the partings", error);
  if (result != RV_OK || partings || p->parting == 0) return result;
  // The plane of the menu, placed by the width of what bears hair.
  double low = -p->size / 2, high = p->size / 2;
  if (g->has_skin) rv_skin_width(&g->skin, &low, &high);
  g->comb.has_plane = true;
  g->comb.plane_x = (low + high) / 2 + parting_places[p->parting] * (high - low) / 2;
  return RV_OK;
}

// Computes the number of strands and checks the limits before memory is allocated.
static RvResult check_size(Groom* g, RvError* error) {
  const GroomParms* p = g->p;
  if (p->points < 2)
    return rv_fail(error, RV_BAD_INPUT, "points is %lld: a strand needs at least 2", (long long)p->points);
  if (!(p->length > 0)) return rv_fail(error, RV_BAD_INPUT, "length is %g: it must be above 0", p->length);
  // density is strands a square metre.
  double wanted = (double)p->count, mpu = g->cook->time.meters_per_unit;
  if (p->method == 1 && (g->has_skin || p->layout == 0)) {
    double area = g->has_skin ? g->skin.area : RV_PI / 4 * p->size * p->size;
    wanted = floor(p->density * area * mpu * mpu + 0.5);
  }
  if (!(wanted >= 1))
    return rv_fail(error, RV_BAD_INPUT, "count: %g strands are asked for; at least 1 is needed", wanted);
  // A typing error in count must not take the machine down.
  double bytes = wanted * ((double)p->points * POINT_BYTES + PRIM_BYTES);
  if (wanted * (double)p->points > INT32_MAX || bytes > MAX_GIB * 0x1p30)
    return rv_fail(error, RV_LIMIT,
                   "%.0f strands of %lld points would take %.1f GiB; at most %d GiB and 2147483647 points are made: "
                   "lower count or points",
                   wanted, (long long)p->points, bytes / 0x1p30, MAX_GIB);
  g->candidates = (size_t)wanted;
  return rv_budget_check(bytes, error, "count and points: %.0f strands of %lld points", wanted, (long long)p->points);
}

// Parameters of the shape of all strands, in scene units.
static void set_shape(Groom* g) {
  const GroomParms* p = g->p;
  double unit = 1 / (g->cook->time.meters_per_unit > 0 ? g->cook->time.meters_per_unit : 1);
  RvVec3 down = {0, -1, 0};
  RvGroomShape s = {.seed = g->seed, .points = (int)p->points};
  // Growth.
  g->direction = rv_normalize(rv_vec3_load64(p->direction), down);
  s.direction_random = p->directionrandom;
  s.lift = p->lift;
  s.bend = p->bend * styles[p->style].bend;
  s.bend_length = p->bendlength;
  s.hull = g->hull.used ? &g->hull : NULL;
  // Curl: the parameters, or the values of the style.
  if (p->style != STRAIGHT) {
    s.curl_radius = p->curlradius > 0 ? p->curlradius : styles[p->style].radius * unit;
    s.curl_pitch = p->curlpitch > 0 ? p->curlpitch : styles[p->style].pitch * unit;
    s.curl_random = p->curlrandom;
    s.curl_start = p->curlstart;
    s.curl_blend = p->curlblend;
    s.wave = p->style == WAVY;
    s.kinks = styles[p->style].kinks;
  }
  s.frizz = p->frizz + (p->style == AFRO ? AFRO_FRIZZ * s.curl_radius : 0);
  s.frizz_length = p->frizzlength;
  // Clumps.
  for (int i = 0; i < RV_GROOM_NODES; ++i)
    s.tightness[i] = rv_clamp(p->tightness * rv_ramp_eval(&p->tightnessramp, (double)i / (RV_GROOM_NODES - 1)), 0, 1);
  s.clump_twist = rv_radians(p->clumptwist);
  s.stray_frizz = STRAY_FRIZZ * p->length;
  g->shape = s;
}

// Warns if a curl has too few points a turn: it would be drawn and simulated as another curve.
static void warn_coarse(const Groom* g) {
  const RvGroomShape* s = &g->shape;
  if (!(s->curl_radius > 0)) return;
  double turn = s->curl_pitch / rv_groom_axial(s, s->curl_radius, s->curl_pitch);
  double each = turn * (double)(g->p->points - 1) / g->p->length;
  if (each < POINTS_A_TURN)
    rv_cook_warn(g->cook, "points: %lld give %.1f points a turn of the curl, fewer than %d; set points to %.0f",
                 (long long)g->p->points, each, POINTS_A_TURN, ceil(POINTS_A_TURN * g->p->length / turn) + 1);
}

//---------------------------------------------------------------------------------------------- output

// Makes an attribute of the strands whose name is a parameter; an error names the parameter.
static RvResult named(const char* parm, const void* values, RvError* error) {
  if (values) return RV_OK;
  if (error && error->code && error->code != RV_NO_MEMORY) rv_error_context(error, "%s", parm);
  return error && error->code ? error->code : RV_NO_MEMORY;
}

// Makes the attributes of the roots: face, place in it, and clump, under the names that the parameters give.
static RvResult name_roots(Groom* g, RvError* error) {
  const GroomParms* p = g->p;
  g->prim = rv_detail_i32_write(g->out, RV_PRIM, p->primnumattrib, 1, error);
  RvResult result = named("primnumattrib", g->prim, error);
  if (result) return result;
  g->uvw = rv_detail_f32_write(g->out, RV_PRIM, p->primuvwattrib, 3, error);
  result = named("primuvwattrib", g->uvw, error);
  if (result || !g->clumps.count) return result;
  g->clump = rv_detail_i32_write(g->out, RV_PRIM, p->clumpidoutputattrib, 1, error);
  return named("clumpidoutputattrib", g->clump, error);
}

// Makes the curves and their attributes.
static RvResult make_output(Groom* g, RvError* error) {
  const GroomParms* p = g->p;
  size_t n = (size_t)p->points;
  g->width = rv_alloc(n, sizeof(float));
  g->curveu = rv_alloc(n, sizeof(float));
  g->out = rv_detail_new();
  if (!g->width || !g->curveu || !g->out) return rv_fail(error, RV_NO_MEMORY, "out of memory for the strands");
  // Width and curveu are the same for all strands.
  for (size_t i = 0; i < n; ++i) {
    double u = (double)i / (double)(n - 1);
    g->curveu[i] = (float)u;
    g->width[i] = (float)(2 * p->radius * p->widthscale * fmax(rv_ramp_eval(&p->taper, u), 0));
  }
  // Curves and their attributes.
  RvResult result = rv_detail_add_curves(g->out, g->count, n, NULL, NULL, error);
  if (result != RV_OK) return result;
  RvDetail* d = g->out;
  bool ok = (g->P = rv_detail_f32_write(d, RV_POINT, "P", 3, error)) &&
            (g->rest = rv_detail_f32_write(d, RV_POINT, "rest", 3, error)) &&
            (g->out_width = rv_detail_f32_write(d, RV_POINT, "width", 1, error)) &&
            (g->out_curveu = rv_detail_f32_write(d, RV_POINT, "curveu", 1, error)) &&
            (g->orient = rv_detail_f32_write(d, RV_POINT, "orient", 4, error)) &&
            (g->id = rv_detail_i32_write(d, RV_PRIM, "id", 1, error)) &&
            (g->hairradius = rv_detail_f32_write(d, RV_PRIM, "hairradius", 1, error));
  return ok ? name_roots(g, error) : error && error->code ? error->code : RV_NO_MEMORY;
}

// A range of strands between two questions whether to stop.
typedef struct Batch {
  Groom* g;
  size_t first;
} Batch;

// Grows a range of strands.
static void fill_range(void* arg, size_t begin, size_t end) {
  const Batch* batch = arg;
  const Groom* g = batch->g;
  size_t n = (size_t)g->p->points;
  for (size_t i = batch->first + begin; i < batch->first + end; ++i) {
    RvSite site;
    RvGroomRoot root = make_root(g, (uint64_t)g->ids[i], &site);
    size_t at = i * n;
    // Its curve, drawn to the centre line of its clump.
    rv_groom_strand(&g->shape, &root, root.clump >= 0 ? &g->clumps.lines[root.clump] : NULL, g->P + 3 * at);
    rv_groom_body_avoid(&g->body, g->P + 3 * at, n);
    rv_groom_orient(g->P + 3 * at, (int)n, root.frame.tangent, g->orient + 4 * at);
    memcpy(g->rest + 3 * at, g->P + 3 * at, 3 * n * sizeof(float));
    memcpy(g->out_width + at, g->width, n * sizeof(float));
    memcpy(g->out_curveu + at, g->curveu, n * sizeof(float));
    // Its attributes, and where its root is on the skin.
    g->id[i] = g->ids[i];
    g->hairradius[i] = (float)g->p->radius;
    g->prim[i] = site.prim;
    g->uvw[3 * i] = (float)site.u;
    g->uvw[3 * i + 1] = (float)site.v;
    g->uvw[3 * i + 2] = 0;
    if (g->clump) g->clump[i] = root.clump;
  }
}

// Grows all strands in batches.
static RvResult fill_strands(Groom* g, RvError* error) {
  for (size_t first = 0; first < g->count; first += BATCH) {
    if (rv_cook_cancelled(g->cook, (double)first / (double)g->count, "strands"))
      return rv_fail(error, RV_CANCELLED, "interrupted");
    size_t count = g->count - first < BATCH ? g->count - first : BATCH;
    rv_parallel_for(count, GRAIN, fill_range, &(Batch){g, first});
  }
  return RV_OK;
}

// Copies a point attribute of the skin to the strands as a primitive attribute of 32-bit floats.
static RvResult copy_skin_attrib(Groom* g, const char* name, RvError* error) {
  const RvAttrib* from;
  RvResult result = skin_attrib(g, "skinattribs", name, true, &from, error);
  if (result != RV_OK || !from) return result;
  int size = rv_attrib_size(from);
  RvAttrib* to;
  result = rv_detail_add_attrib(g->out, RV_PRIM, name, RV_F32, size, rv_attrib_tag(from), &to, error);
  float* values = result == RV_OK ? rv_attrib_write(to) : NULL;
  if (!values) return result != RV_OK ? result : rv_fail(error, RV_NO_MEMORY, "out of memory for %s", name);
  for (size_t i = 0; i < g->count; ++i) {
    RvSite site = {g->prim[i], g->uvw[3 * i], g->uvw[3 * i + 1]};
    for (int k = 0; k < size; ++k) values[i * (size_t)size + (size_t)k] = (float)rv_skin_value(&g->skin, site, from, k);
  }
  return RV_OK;
}

// Copies all attributes that skinattribs names.
static RvResult copy_skin_attribs(Groom* g, RvError* error) {
  char* list = rv_strdup(g->p->skinattribs);
  if (!list) return rv_fail(error, RV_NO_MEMORY, "out of memory for the skin's attributes");
  RvResult result = RV_OK;
  char* position = list;
  for (char* word = rv_platform_strsep(&position, " ,\t"); result == RV_OK && word;
       word = rv_platform_strsep(&position, " ,\t"))
    if (*word) result = copy_skin_attrib(g, word, error);
  rv_free(list);
  return result;
}

// Places roots, clumps and strands, and copies attributes of the skin.
static RvResult cook(RvCook* cook, RvError* error) {
  Groom* g = rv_alloc_zero(1, sizeof *g);
  if (!g) return rv_fail(error, RV_NO_MEMORY, "out of memory for a groom");
  g->cook = cook;
  g->p = cook->parms;
  g->seed = (uint64_t)g->p->seed;
  // Check the input before memory is allocated, then grow.
  RvResult result = open_skin(g, error);
  if (result == RV_OK) result = open_comb(g, error);
  if (result == RV_OK) result = check_size(g, error);
  if (result == RV_OK) {
    set_shape(g);
    warn_coarse(g);
  }
  if (result == RV_OK) result = choose_strands(g, error);
  if (result == RV_OK) result = make_clumps(g, error);
  if (result == RV_OK) result = make_output(g, error);
  if (result == RV_OK) result = fill_strands(g, error);
  if (result == RV_OK) result = copy_skin_attribs(g, error);
  if (result == RV_OK) {
    cook->output[0] = g->out;
    g->out = NULL;
    cook->stats->strands = (int64_t)g->count;
    cook->stats->vertices = (int64_t)(g->count * (size_t)g->p->points);
    if (!g->count) rv_cook_warn(cook, "no strand grows: the attribute %s is 0 on the whole skin", g->p->densityattrib);
  }
  // Release the working memory.
  rv_detail_free(g->out);
  rv_groom_body_free(&g->body);
  if (g->has_skin) rv_skin_free(&g->skin);
  rv_groom_clumps_free(&g->clumps);
  rv_groom_comb_free(&g->comb);
  rv_free(g->ids);
  rv_free(g->keep);
  rv_free(g->width);
  rv_free(g->curveu);
  rv_free(g);
  return result;
}

static const RvPortDef inputs[] = {
    {"skin", "Skin", "Mesh to grow on. Without it, strands grow on a disk or in a row.", false},
    {"guides", "Guides", "Open curves, root first, whose shape the strands near them take.", false},
    {"partings", "Partings", "Curves on the skin from which hair falls to both sides.", false}};
static const unsigned takes[] = {RV_PORT_FACES, RV_PORT_CURVES, RV_PORT_CURVES};
static const RvPortDef outputs[] = {{"strands", "Strands", "Open curves, root first.", false}};

// Haircuts for a head of adult size, and fur. Counts are for guides and previews; transfer makes many hairs of them.
static const RvPresetDef presets[] = {
    {"bob", "Bob", "Chin-length, straight, with a parting on the left.",
     "length=0.2 lengthrandom=0.06 points=20 style=straight parting=left partingstrength=0.9 lift=0.45 bend=0.95 "
     "bendlength=0.035 directionrandom=0.06 clumpsize=0.012 tightness=0.35 frizz=0.0006 strayamount=0.004"},
    {"longstraight", "Long Straight", "Over the shoulders, straight, with a parting in the middle.",
     "length=0.42 lengthrandom=0.1 points=28 style=straight parting=middle partingstrength=0.9 lift=0.4 bend=0.97 "
     "bendlength=0.03 directionrandom=0.05 clumpsize=0.015 tightness=0.4 frizz=0.0008 strayamount=0.003"},
    {"longwavy", "Long Wavy", "Over the shoulders, in loose waves.",
     "length=0.4 lengthrandom=0.15 points=32 style=wavy curlradius=0.008 curlpitch=0.09 parting=left "
     "partingstrength=0.6 lift=0.45 bend=0.95 bendlength=0.035 directionrandom=0.08 clumpsize=0.018 tightness=0.55 "
     "frizz=0.0012 strayamount=0.006"},
    {"coily", "Coily", "A round head of tight coils.",
     "length=0.16 lengthrandom=0.25 points=64 style=afro parting=none lift=1 bend=0.1 bendlength=0.1 "
     "directionrandom=0.3 curlstart=0 clumpsize=0.006 tightness=0.6 frizz=0.001 strayamount=0.02"},
    {"fur", "Fur", "The coat of an animal: short, dense, laid to the back.",
     "length=0.03 lengthrandom=0.3 points=8 style=straight parting=none lift=0.35 bend=0.8 bendlength=0.02 "
     "directionrandom=0.25 clumpsize=0.006 tightness=0.5 frizz=0.0006 strayamount=0.03 radius=3e-05"},
};

RV_NODE_TYPE(groom, "Groom", "Hair", "Grows strands on a mesh: straight, wavy, curly, coiled or afro.",
             "Roots are spread evenly by area over the faces of the skin. Root and shape of strand k depend on k and "
             "the seed only, so a larger Count adds strands between the existing ones, and painting the density in "
             "one place changes nothing elsewhere.\n\n"
             "Every strand has the same number of points, root first. Its segments are equal and add up to its length "
             "within the rounding of 32-bit positions. Lengths are in scene units.\n\n"
             "Points get P, rest, width (diameter), curveu (0 at the root, 1 at the tip) and orient, a twist-free "
             "frame whose z axis runs along the strand. Primitives get id, hairradius, skinprim and skinprimuv, which "
             "locate the root in Houdini's parametric space of the skin (-1 without a skin), and clumpid if there are "
             "clumps.\n\n"
             "Curves in input 2 comb the hair: each strand takes the direction of up to four guides rooted nearest to "
             "it. Strands fall away from a parting, and no clump reaches across it.\n\n"
             "As in Houdini, quads are bilinear patches and larger polygons are fans around their centre; faces "
             "without area bear no hair. Normals are the N of the skin, or smooth outward normals.",
             .flags = RV_NODE_GENERATOR, .revision = 1, RV_NODE_INPUTS(inputs), .takes = takes, RV_NODE_OUTPUTS(outputs),
             RV_NODE_PRESETS(presets))
