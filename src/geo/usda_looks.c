// What a USD stage shows besides geometry: the camera (UsdGeomCamera) and preview materials (UsdShade,
// UsdPreviewSurface).
#include <math.h>
#include <string.h>

#include "geo/usda.h"
#include "math/scalar.h"
#include "math/vec.h"

//---------------------------------------------------------------------------------------------- camera

static const double SENSOR_WIDTH = 0.020955;  // m: USD's default horizontalAperture
static const double DEFAULT_FOV = 35;         // degrees, vertical: that of a camera node
static const double DEFAULT_ASPECT = 16.0 / 9;
static const double NEAREST = 1e-3;  // units, of the clipping range, where the camera gives none
static const double FARTHEST = 1e6;
static const double TENTHS = 10;  // lens and sensor are measured in tenths of a unit

// Numbers of a detail attribute; false if it is missing or not finite.
static bool read_global(const RvDetail* detail, const char* name, int count, double* out) {
  const RvAttrib* a = rv_detail_find(detail, RV_GLOBAL, name);
  if (!a || a->storage == RV_STRING || a->size < count) return false;
  for (int c = 0; c < count; ++c) {
    out[c] = rv_attrib_get(a, 0, c);
    if (!isfinite(out[c])) return false;
  }
  return true;
}

bool rv_usda_camera_eye(const RvDetail* detail, float eye[3]) {
  double e[3], target[3];
  if (!read_global(detail, "rv_cam_eye", 3, e) || !read_global(detail, "rv_cam_target", 3, target)) return false;
  for (int c = 0; c < 3; ++c) eye[c] = (float)e[c];
  return true;
}

// Adds a number of the camera.
static RvResult add_number(RvUsda* usda, const char* name, double value, RvError* error) {
  rv_usda_put_f32(usda, (float)value);
  return rv_usda_sample(usda, RV_USDA_CAMERA, name, name, "float", "", error);
}

// Appends a row of the transform.
static void put_row(RvUsda* usda, RvVec3 v, int last, const char* after) {
  const double row[3] = {v.x, v.y, v.z};
  rv_usda_put(usda, "(");
  for (int c = 0; c < 3; ++c) {
    rv_usda_put_f64(usda, row[c]);
    rv_usda_put(usda, ", ");
  }
  rv_usda_put_int(usda, last);
  rv_usda_put(usda, after);
}

// Adds the transform: USD's cameras look along -Z with Y up, and its matrices multiply row vectors.
static RvResult add_transform(RvUsda* usda, RvVec3 eye, RvVec3 target, RvVec3 up, RvError* error) {
  RvVec3 back = rv_normalize(rv_sub(eye, target), rv_vec3(0, 0, 1));
  RvVec3 right = rv_normalize(rv_cross(up, back), rv_vec3(1, 0, 0));
  rv_usda_put(usda, "( ");
  put_row(usda, right, 0, "), ");
  put_row(usda, rv_cross(back, right), 0, "), ");
  put_row(usda, back, 0, "), ");
  put_row(usda, eye, 1, ") )");
  return rv_usda_sample(usda, RV_USDA_CAMERA, "xformOp:transform", "xformOp:transform", "matrix4d", "", error);
}

// Adds lens, sensor and focus. Field of view and aspect ratio are kept; the sensor's width is USD's default.
static RvResult add_lens(RvUsda* usda, const RvDetail* detail, double distance, RvError* error) {
  double fov = DEFAULT_FOV, res[2], lens = 0, focus = 0, aspect = DEFAULT_ASPECT;
  read_global(detail, "rv_cam_fov", 1, &fov);
  read_global(detail, "rv_cam_aperture", 1, &lens);
  read_global(detail, "rv_cam_focus", 1, &focus);
  if (read_global(detail, "rv_cam_res", 2, res) && res[0] >= 1 && res[1] >= 1) aspect = res[0] / res[1];
  double half = rv_radians(fov) / 2;
  double width = SENSOR_WIDTH / rv_usda_meters(usda->sequence), height = width / aspect;
  double focal = height / 2 * rv_cos(half) / rv_sin(half);
  RvResult result = add_number(usda, "focalLength", TENTHS * focal, error);
  if (!result) result = add_number(usda, "focusDistance", focus > 0 ? focus : distance, error);
  // Focal length over diameter of the lens; 0: everything is sharp.
  if (!result) result = add_number(usda, "fStop", lens > 0 ? focal / lens : 0, error);
  if (!result) result = add_number(usda, "horizontalAperture", TENTHS * width, error);
  return result ? result : add_number(usda, "verticalAperture", TENTHS * height, error);
}

// Adds the clipping range, which must be above 0.
static RvResult add_clipping(RvUsda* usda, const RvDetail* detail, RvError* error) {
  double near = 0, far = 0;
  read_global(detail, "rv_cam_near", 1, &near);
  read_global(detail, "rv_cam_far", 1, &far);
  if (!(near > 0)) near = NEAREST;
  if (!(far > near)) far = fmax(FARTHEST, 2 * near);
  rv_usda_put(usda, "(");
  rv_usda_put_f32(usda, (float)near);
  rv_usda_put(usda, ", ");
  rv_usda_put_f32(usda, (float)far);
  rv_usda_put(usda, ")");
  return rv_usda_sample(usda, RV_USDA_CAMERA, "clippingRange", "clippingRange", "float2", "", error);
}

RvResult rv_usda_add_camera(RvUsda* usda, const RvDetail* detail, RvError* error) {
  double eye[3], target[3], up[3] = {0, 1, 0};
  bool there = read_global(detail, "rv_cam_eye", 3, eye) && read_global(detail, "rv_cam_target", 3, target);
  RvUsdaCounts counts = {{0}};
  counts.element[RV_POINT] = there;
  if (!rv_array_push(&usda->counts[RV_USDA_CAMERA], counts)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!there) return RV_OK;
  read_global(detail, "rv_cam_up", 3, up);
  RvVec3 from = rv_vec3_load64(eye), to = rv_vec3_load64(target), upwards = rv_vec3_load64(up);
  RvVec3 view = rv_sub(to, from);
  // A camera node has checked both; attributes of others may be wrong.
  if (!(rv_length(rv_cross(view, upwards)) > 0)) {
    rv_log(usda->log, RV_LEVEL_WARNING, "the camera was not written: rv_cam_up is along its view, or it has no view");
    return RV_OK;
  }
  RvResult result = add_clipping(usda, detail, error);
  if (!result) result = add_lens(usda, detail, rv_length(view), error);
  return result ? result : add_transform(usda, from, to, upwards, error);
}

//---------------------------------------------------------------------------------------------- materials

typedef enum Material { HAIR, SKIN, WATER, MATERIALS } Material;
static const char* const MATERIAL_NAMES[MATERIALS] = {"hair", "skin", "water"};

// The inputs of each UsdPreviewSurface. Index of refraction: 1.55 of keratin, 1.4 of skin, 1.333 of water. Wet hair has
// a clear coat, by its primvar wetness; its colour is the primvar displayColor, else a dark brown.
static const char* const INPUTS[MATERIALS] = {
    "float inputs:clearcoat.connect = </rivulet/materials/hair/wetness.outputs:result>\n"
    "float inputs:clearcoatRoughness = 0.05\n"
    "color3f inputs:diffuseColor.connect = </rivulet/materials/hair/color.outputs:result>\n"
    "float inputs:ior = 1.55\n"
    "float inputs:roughness = 0.4\n",
    "color3f inputs:diffuseColor = (0.6, 0.42, 0.34)\n"
    "float inputs:ior = 1.4\n"
    "float inputs:roughness = 0.5\n",
    "color3f inputs:diffuseColor = (0.02, 0.03, 0.035)\n"
    "float inputs:ior = 1.333\n"
    "float inputs:opacity = 0.25\n"
    "float inputs:roughness = 0.02\n",
};

// What hair reads from its strands.
static const struct {
  const char *prim, *id, *type, *fallback, *primvar;
} READERS[] = {
    {"color", "UsdPrimvarReader_float3", "float3", "(0.05, 0.03, 0.02)", "displayColor"},
    {"wetness", "UsdPrimvarReader_float", "float", "0", "wetness"},
};

// The material of a prim.
static Material material_of(const RvUsda* usda, RvUsdaKind kind) {
  if (kind == RV_USDA_CURVES) return HAIR;
  if (kind == RV_USDA_MESH) return usda->sequence->liquid_mesh ? WATER : SKIN;
  return kind == RV_USDA_POINTS || kind == RV_USDA_VOLUME ? WATER : MATERIALS;
}

// True if any frame has such geometry.
static bool is_written(const RvUsda* usda, int kind) {
  return usda->properties[kind].count || (kind == RV_USDA_VOLUME && usda->fields.count);
}

const char* rv_usda_material(const RvUsda* usda, RvUsdaKind kind) {
  Material material = material_of(usda, kind);
  return material < MATERIALS ? MATERIAL_NAMES[material] : NULL;
}

// Writes lines of text with an indentation.
static void write_lines(FILE* out, const char* indent, const char* text) {
  while (*text) {
    size_t length = strcspn(text, "\n") + 1;
    fprintf(out, "%s%.*s", indent, (int)length, text);
    text += length;
  }
}

// Writes the shaders that read primvars.
static void write_readers(FILE* out) {
  for (size_t i = 0; i < sizeof READERS / sizeof *READERS; ++i)
    fprintf(out,
            "\n            def Shader \"%s\"\n            {\n"
            "                uniform token info:id = \"%s\"\n"
            "                %s inputs:fallback = %s\n"
            "                string inputs:varname = \"%s\"\n"
            "                %s outputs:result\n            }\n",
            READERS[i].prim, READERS[i].id, READERS[i].type, READERS[i].fallback, READERS[i].primvar, READERS[i].type);
}

void rv_usda_write_materials(const RvUsda* usda, FILE* out) {
  bool used[MATERIALS + 1] = {false};
  bool any = false;
  for (int kind = 0; kind < RV_USDA_KIND_COUNT; ++kind)
    if (is_written(usda, kind)) used[material_of(usda, (RvUsdaKind)kind)] = true;
  for (int i = 0; i < MATERIALS; ++i) any |= used[i];
  if (!any) return;
  fputs("    def Scope \"materials\"\n    {\n", out);
  for (int i = 0; i < MATERIALS; ++i) {
    if (!used[i]) continue;
    const char* name = MATERIAL_NAMES[i];
    fprintf(out,
            "        def Material \"%s\"\n        {\n"
            "            token outputs:surface.connect = </rivulet/materials/%s/preview.outputs:surface>\n\n"
            "            def Shader \"preview\"\n            {\n"
            "                uniform token info:id = \"UsdPreviewSurface\"\n",
            name, name);
    write_lines(out, "                ", INPUTS[i]);
    fputs("                token outputs:surface\n            }\n", out);
    if (i == HAIR) write_readers(out);
    fputs("        }\n\n", out);
  }
  fputs("    }\n", out);
}
