// rivulet flipbook: renders a scene or a folder of caches as a still, a numbered sequence or a movie.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/timer.h"
#include "cli/shots.h"
#include "geo/text.h"
#include "scene/cached.h"

enum { DEFAULT_WIDTH = 960, DEFAULT_HEIGHT = 540 };  // pixels

static const double FLAT_SHARE = 1e-4;       // height of a flat scene, in its sizes
static const double FLAT_LIFT = 0.05;        // height of a flat scene above the ground, in its sizes
static const double DEFAULT_FPS = 24;        // of a folder of caches
static const double DEFAULT_FOV = 35;        // degrees, of --camera by numbers
static const double WIDEST_FOV = 170;        // degrees
static const double DEFAULT_SHUTTER = 0.5;   // of a frame: a shutter of 180 degrees
static const double LONGEST_SHUTTER = 4;     // frames
static const double LARGEST_APERTURE = 1e6;  // units of length
static const double LARGEST_FOCUS = 1e9;     // units of length
static const double LARGEST_EXPOSURE = 64;   // stops

// Options that are plain numbers.
enum { SHUTTER, APERTURE, FOCUS, EXPOSURE, NUMBERS };

// One call of the command.
typedef struct Flipbook {
  RvSessionOptions session;
  const char *size, *camera, *node, *output, *quality;
  const char *liquid, *view_name, *range, *shutter, *aperture, *focus, *exposure;
  double numbers[NUMBERS];  // values of the last four
  const RvViewData* data;   // false-colour view; NULL: beauty
  double bounds[2];         // ends of its colour scale; NaN: range of the data
  RvShotSource source;      // of the frames
  RvProgress progress;
  RvMessages messages;      // of the renderer
  bool movie, still;        // kind of the output; neither: a folder with a sequence
  bool exr;                 // a still with layers, as OpenEXR
  bool cached;              // read the scene's file caches from disk instead of cooking
  bool anyway;              // read them even if they were cooked with other values
  RvCamera view;            // of the current frame
  RvCamera rig;             // camera of the first frame, relative to which the lamps stand
  double floor;             // y of the ground, the same in all frames; NaN: not yet known
  bool floor_is_clear;      // the ground was lowered below a flat scene, or needs not be
  const char* camera_node;  // NULL: a fixed camera
  int width, height;        // pixels
  RvViewQuality level;
  RV_ARRAY(char*) pictures;  // files written
  char* folder;              // temporary folder of a movie's pictures
  double frame;              // being rendered
} Flipbook;

// RvLog of the renderer and of the files of a folder.
static void on_message(void* user, RvLevel level, const char* text) {
  Flipbook* f = user;
  if (f->session.quiet && level != RV_LEVEL_WARNING) return;
  rv_cli_messages_show(&f->messages, &f->progress, level, "picture", f->frame, text);
}

// Callback of the renderer: shows progress; true after an interrupt.
static bool stopped(void* user, double fraction) {
  Flipbook* f = user;
  rv_cli_progress_update(&f->progress, f->frame, fraction, "rendering");
  return rv_cli_interrupted();
}

// Reads a number within bounds; without the option, its default.
static RvResult read_number(const char* option, const char* text, double lo, double hi, double standard, double* out,
                            RvError* error) {
  char* end = NULL;
  *out = text ? strtod(text, &end) : standard;
  if (text && (end == text || *end || !(*out >= lo && *out <= hi)))
    return rv_fail(error, RV_BAD_INPUT, "%s takes a number from %g to %g, not '%s'", option, lo, hi, text);
  return RV_OK;
}

// Reads the options of the picture: liquid, view, range, shutter, lens, exposure.
static RvResult read_look(Flipbook* f, RvError* error) {
  if (f->liquid && strcmp(f->liquid, "surface") != 0 && strcmp(f->liquid, "particles") != 0)
    return rv_fail(error, RV_BAD_INPUT, "--liquid takes surface or particles, not '%s'", f->liquid);
  bool false_colors = f->view_name && strcmp(f->view_name, "beauty") != 0;
  if (false_colors) f->data = rv_view_data(f->view_name);
  if (false_colors && !f->data)
    return rv_fail(error, RV_BAD_INPUT, "--view takes beauty, wetness, age, film, clump, speed, density or air, not '%s'",
                   f->view_name);
  char extra;
  if (f->range && (!f->data || sscanf(f->range, "%lf,%lf%c", &f->bounds[0], &f->bounds[1], &extra) != 2 ||
                   !(f->bounds[0] < f->bounds[1]) || !isfinite(f->bounds[0]) || !isfinite(f->bounds[1])))
    return rv_fail(error, RV_BAD_INPUT, "--range takes LOW,HIGH and needs a --view in false colours; it was '%s'",
                   f->range);
  // Movies and sequences get motion blur; a still, which is looked at closely, gets none.
  double standard = f->still && !strchr(f->output, '$') ? 0 : DEFAULT_SHUTTER;
  RvResult result =
      read_number("--shutter", f->shutter, 0, LONGEST_SHUTTER, f->data ? 0 : standard, &f->numbers[SHUTTER], error);
  if (!result) result = read_number("--aperture", f->aperture, 0, LARGEST_APERTURE, 0, &f->numbers[APERTURE], error);
  if (!result) result = read_number("--focus", f->focus, 0, LARGEST_FOCUS, 0, &f->numbers[FOCUS], error);
  if (!result)
    result =
        read_number("--exposure", f->exposure, -LARGEST_EXPOSURE, LARGEST_EXPOSURE, 0, &f->numbers[EXPOSURE], error);
  return result;
}

// True for the name of an image or movie format that is not supported; otherwise it would become a folder of that name.
static bool is_other_picture(const char* name) {
  static const char* const endings[] = {".jpg",  ".jpeg", ".tif", ".tiff", ".gif", ".bmp",
                                        ".webp", ".mov",  ".avi", ".mkv",  ".webm"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
    if (rv_text_ends(name, endings[i])) return true;
  return false;
}

// Reads the command line.
static RvResult parse(int argc, char** argv, RvTextList* words, RvTextList* set, Flipbook* f, RvError* error) {
  const RvOption options[] = {
      {"--frames", RV_OPTION_TEXT, &f->session.frames},
      {"--size", RV_OPTION_TEXT, &f->size},
      {"--camera", RV_OPTION_TEXT, &f->camera},
      {"--node", RV_OPTION_TEXT, &f->node},
      {"--quality", RV_OPTION_TEXT, &f->quality},
      {"--set", RV_OPTION_LIST, set},
      {"--out", RV_OPTION_TEXT, &f->session.out},
      {"--threads", RV_OPTION_INT, &f->session.threads},
      {"--quiet", RV_OPTION_FLAG, &f->session.quiet},
      {"-o", RV_OPTION_TEXT, &f->output},
      {"--cached", RV_OPTION_FLAG, &f->cached},
      {"--anyway", RV_OPTION_FLAG, &f->anyway},
      {"--preview", RV_OPTION_TEXT, &f->session.preview},
      {"--liquid", RV_OPTION_TEXT, &f->liquid},
      {"--view", RV_OPTION_TEXT, &f->view_name},
      {"--range", RV_OPTION_TEXT, &f->range},
      {"--shutter", RV_OPTION_TEXT, &f->shutter},
      {"--aperture", RV_OPTION_TEXT, &f->aperture},
      {"--focus", RV_OPTION_TEXT, &f->focus},
      {"--exposure", RV_OPTION_TEXT, &f->exposure},
      {"--max-memory", RV_OPTION_TEXT, &f->session.max_memory},
      {"--confine", RV_OPTION_TEXT, &f->session.confine},
  };
  RvResult result = rv_cli_options(argc, argv, options, sizeof options / sizeof *options, words, error);
  if (result) return result;
  if (words->count != 1)
    return rv_fail(error, RV_BAD_INPUT, "flipbook takes one scene or folder; it was given %zu", words->count);
  if (f->anyway && !f->cached)
    return rv_fail(error, RV_BAD_INPUT, "--anyway goes with --cached: it draws files that have other values");
  if (!f->output)
    return rv_fail(error, RV_BAD_INPUT, "give the output with -o FILE.png, -o FILE.exr, -o FILE.mp4 or -o FOLDER");
  f->session.scene = words->items[0];
  f->session.set = set;
  // Kind of the output.
  f->movie = rv_text_ends(f->output, ".mp4");
  f->exr = rv_text_ends(f->output, ".exr");
  f->still = f->exr || rv_text_ends(f->output, ".png");
  if (is_other_picture(f->output))
    return rv_fail(error, RV_BAD_INPUT,
                   "-o %s: this format is not supported; pictures are .png or .exr and movies .mp4", f->output);
  // Quality and size.
  f->level = RV_VIEW_NORMAL;
  if (f->quality && !rv_view_quality_from_name(f->quality, &f->level))
    return rv_fail(error, RV_BAD_INPUT, "--quality takes draft, normal or high, not '%s'", f->quality);
  if (f->movie && !rv_view_has_ffmpeg())
    return rv_fail(error, RV_UNSUPPORTED,
                   "a movie needs ffmpeg, which is not installed; install it, or give a folder to get pictures");
  char extra;
  if (f->size && (sscanf(f->size, "%dx%d%c", &f->width, &f->height, &extra) != 2 || f->width < 1 || f->height < 1 ||
                  f->width > RV_VIEW_MAX_SIZE || f->height > RV_VIEW_MAX_SIZE))
    return rv_fail(error, RV_BAD_INPUT, "--size takes WIDTHxHEIGHT up to %d, not '%s'", RV_VIEW_MAX_SIZE, f->size);
  return read_look(f, error);
}

//---------------------------------------------------------------------------------------------- camera

// Reads the camera from X,Y,Z,TX,TY,TZ[,FOV].
static RvResult camera_from_numbers(Flipbook* f, RvError* error) {
  double v[7] = {[6] = DEFAULT_FOV};
  const char* text = f->camera;
  int count = 0;
  while (count < 7) {
    char* end;
    v[count] = strtod(text, &end);
    if (end == text || !isfinite(v[count])) break;
    count++;
    text = end;
    if (*text != ',') break;
    text++;
  }
  if (count < 6 || *text || !(v[6] > 0 && v[6] < WIDEST_FOV))
    return rv_fail(error, RV_BAD_INPUT, "--camera takes a camera node, 'auto', or X,Y,Z,TX,TY,TZ[,FOV]; not '%s'",
                   f->camera);
  f->view = (RvCamera){.eye = {v[0], v[1], v[2]}, .target = {v[3], v[4], v[5]}, .up = {0, 1, 0}, .fov_y_degrees = v[6]};
  return RV_OK;
}

// Frames the contents of the first, middle and last frames together, so that the camera is fixed.
static RvResult camera_by_framing(Flipbook* f, double first, double last, RvError* error) {
  const double frames[] = {first, floor((first + last) / 2), last};
  RvViewFit fit = rv_view_fit((double)f->width / f->height);
  for (int i = 0; i < 3; ++i) {
    if (i && frames[i] == frames[i - 1]) continue;
    RvShotFrame frame;
    RvResult result = rv_cli_shot_frame(&f->source, frames[i], &frame, error);
    if (result) return result;
    for (size_t k = 0; k < frame.count; ++k) rv_view_fit_add(&fit, frame.details[k]);
    rv_cli_shot_release(&frame);
  }
  f->view = rv_view_fit_camera(&fit);
  if (isfinite(fit.lowest)) f->floor = fit.lowest;
  return RV_OK;
}

// Sets the ground to the lowest point of the first frame. One that followed each frame would rise and fall in a movie.
static void find_floor(Flipbook* f, const RvShotFrame* content) {
  for (size_t k = 0; k < content->count; ++k) {
    double lo[3], hi[3];
    if (!rv_view_is_lamp(content->details[k]) && rv_detail_bounds(content->details[k], lo, hi))
      f->floor = fmin(f->floor, lo[1]);
  }
}

// A flat scene, such as a level grid, lies in the ground and shows through it: the ground is lowered in its first
// frame, and stays there.
static void clear_floor(Flipbook* f, const RvShotFrame* content) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t k = 0; k < content->count; ++k) {
    double lo[3], hi[3];
    if (!rv_detail_bounds(content->details[k], lo, hi)) continue;
    for (int a = 0; a < 3; ++a) {
      low[a] = fmin(low[a], lo[a]);
      high[a] = fmax(high[a], hi[a]);
    }
  }
  double size = hypot(high[0] - low[0], high[2] - low[2]);
  if (high[1] - low[1] < FLAT_SHARE * size && fabs(f->floor - low[1]) < FLAT_SHARE * size) f->floor -= FLAT_LIFT * size;
  f->floor_is_clear = true;
}

// Reads the camera of a node at a frame.
static RvResult camera_from_node(Flipbook* f, double frame, RvError* error) {
  const RvDetail* detail = NULL;
  RvResult result = rv_scene_cook(f->source.session->scene, f->camera_node, frame, &detail, error);
  if (!result && !rv_view_camera_from_detail(detail, &f->view))
    result =
        rv_fail(error, RV_BAD_INPUT, "--camera: node '%s' is not a camera; name a node of type camera", f->camera_node);
  return result;
}

// Chooses the camera (node, numbers or automatic) and with it the image size.
static RvResult choose_camera(Flipbook* f, double first, double last, RvError* error) {
  RvResult result = RV_OK;
  bool automatic = f->camera && strcmp(f->camera, "auto") == 0;
  const RvScene* scene = f->source.session ? f->source.session->scene : NULL;
  if (scene && f->camera && rv_scene_node_type(scene, f->camera))
    f->camera_node = f->camera;
  else if (!f->camera && f->source.camera)
    f->camera_node = f->source.camera;
  if (f->camera_node) {
    result = camera_from_node(f, first, error);
    if (!f->width) {
      f->width = f->view.width;
      f->height = f->view.height;
    }
  }
  if (f->width < 1 || f->height < 1) {
    f->width = DEFAULT_WIDTH;
    f->height = DEFAULT_HEIGHT;
  }
  if (result || f->camera_node) return result;
  return f->camera && !automatic ? camera_from_numbers(f, error) : camera_by_framing(f, first, last, error);
}

//---------------------------------------------------------------------------------------------- pictures

// File of the picture of a frame; NULL when out of memory.
static char* picture_path(const Flipbook* f, double frame) {
  const RvVars vars = {.frame = frame,
                       .fps = f->source.session ? rv_scene_fps(f->source.session->scene) : DEFAULT_FPS,
                       .out = f->source.session ? f->source.session->out : "."};
  if (f->still) return rv_vars_expand(&vars, f->output);
  char* pattern = rv_strf("%s/frame.$F4.png", f->movie ? f->folder : f->output);
  char* path = pattern ? rv_vars_expand(&vars, pattern) : NULL;
  rv_free(pattern);
  return path;
}

// Passes the options of the picture to the renderer.
static void set_look(const Flipbook* f, RvViewOptions* options) {
  const RvScene* scene = f->source.session ? f->source.session->scene : NULL;
  double fps = scene ? rv_scene_fps(scene) : DEFAULT_FPS;
  double metres = scene ? rv_scene_meters_per_unit(scene) : 1;
  if (f->liquid && strcmp(f->liquid, "particles") == 0) options->liquid = RV_VIEW_LIQUID_PARTICLES;
  if (f->data) {
    options->pass = RV_VIEW_DATA;
    options->view = f->data;
  }
  for (int k = 0; k < 2; ++k) options->range[k] = f->bounds[k];
  // Absorption is per metre; the scene may have other units.
  options->meters = metres;
  for (int k = 0; k < 3; ++k) options->absorption[k] *= metres;
  options->shutter = f->numbers[SHUTTER] / fps;
  options->aperture = f->aperture ? f->numbers[APERTURE] : f->view.aperture;
  options->focus = f->focus ? f->numbers[FOCUS] : f->view.focus;
  options->exposure = f->exposure ? f->numbers[EXPOSURE] : f->view.exposure;
  options->tone = f->view.tone;
  options->layers = f->exr;
}

// Renders one frame and writes its picture.
static RvResult render_frame(Flipbook* f, double frame, RvError* error) {
  // Camera and geometry of the frame.
  f->frame = frame;
  RvShotFrame content = {0};
  RvImage image = {0};
  RvResult result = f->camera_node ? camera_from_node(f, frame, error) : RV_OK;
  if (!result) result = rv_cli_shot_frame(&f->source, frame, &content, error);
  if (!result) {
    // Options of the renderer.
    const RvLog log = {f, on_message};
    RvViewOptions options = rv_view_options(f->level, f->width, f->height);
    options.log = &log;
    set_look(f, &options);
    if (isnan(f->floor)) find_floor(f, &content);
    if (!f->floor_is_clear) clear_floor(f, &content);
    options.ground_height = f->floor;
    rv_view_backdrop_from_details((const RvDetail* const*)content.details, content.count, &options);
    options.rig = &f->rig;
    result = rv_view_render((const RvDetail* const*)content.details, content.count, &f->view, &options, stopped, f,
                            &image, error);
  }
  rv_cli_shot_release(&content);
  // Write the picture and remember its name, for the movie.
  char* path = result ? NULL : picture_path(f, frame);
  if (!result && (!path || !rv_array_push(&f->pictures, path))) {
    rv_free(path);
    path = NULL;
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (!result) result = f->exr ? rv_view_write_exr(&image, path, error) : rv_view_write_png(&image, path, error);
  rv_view_image_free(&image);
  return result;
}

// True if two frames have the same picture, so that only the last would stay.
static bool share_picture(const Flipbook* f, double a, double b) {
  char *one = f->still ? picture_path(f, a) : NULL, *two = f->still ? picture_path(f, b) : NULL;
  bool same = one && two && strcmp(one, two) == 0;
  rv_free(one);
  rv_free(two);
  return same;
}

// Makes the folder of a movie's pictures, which nobody has made before.
static RvResult make_picture_folder(Flipbook* f, RvError* error) {
  const char* slash = strrchr(f->output, '/');
  char* parent = slash && slash != f->output ? rv_strf("%.*s", (int)(slash - f->output), f->output) : rv_strdup(".");
  char* folder = rv_strf("%s.frames.XXXXXX", f->output);
  RvResult result =
      parent && folder ? rv_file_make_folder(parent, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result && !rv_platform_temporary_folder(folder))
    result = rv_fail(error, rv_file_reason(errno), "cannot make a folder beside '%s': %s", f->output, strerror(errno));
  rv_free(parent);
  if (result)
    rv_free(folder);
  else
    f->folder = folder;
  return result;
}

// Frames to render: those asked for, the middle one for a still, or all.
static RvResult choose_frames(Flipbook* f, double* first, double* last, RvError* error) {
  *first = f->source.first;
  *last = f->source.last;
  const char* text = f->session.frames;
  bool middle = text ? strcmp(text, "middle") == 0 : f->still && !strchr(f->output, '$');
  RvResult result = text && !middle && !f->source.session ? rv_cli_frames(text, first, last, error) : RV_OK;
  if (result) return result;
  if (middle) {
    *first = floor((*first + *last) / 2);
    *last = *first;
  }
  if (*first != *last && share_picture(f, *first, *first + 1))
    return rv_fail(error, RV_BAD_INPUT, "-o %s: %g frames need a number in the name, such as name.$F4.png, or a folder",
                   f->output, *last - *first + 1);
  return RV_OK;
}

// Renders all frames, and encodes the movie.
static RvResult render_all(Flipbook* f, RvError* error) {
  double first, last;
  RvResult result = choose_frames(f, &first, &last, error);
  if (!result) result = choose_camera(f, first, last, error);
  if (!result && f->movie) result = make_picture_folder(f, error);
  f->rig = f->view;
  f->progress = rv_cli_progress_begin(first, last, f->session.quiet, false);
  for (double frame = first; !result && frame <= last; ++frame) result = render_frame(f, frame, error);
  double fps = f->source.session ? rv_scene_fps(f->source.session->scene) : DEFAULT_FPS;
  if (!result && f->movie)
    result = rv_view_write_mp4((const char* const*)f->pictures.data, f->pictures.count, fps, f->output, error);
  // Ctrl-C also reaches ffmpeg; its failure is then reported as an interrupt.
  if (result && result != RV_CANCELLED && rv_cli_interrupted()) {
    *error = (RvError){0};
    result = rv_fail(error, RV_CANCELLED, "interrupted");
  }
  rv_cli_progress_clear(&f->progress);
  rv_cli_messages_flush(&f->messages);
  return result;
}

// Removes the pictures of a movie and frees everything.
static void clean_up(Flipbook* f) {
  for (size_t i = 0; i < f->pictures.count; ++i) {
    if (f->movie) rv_platform_remove(f->pictures.data[i]);
    rv_free(f->pictures.data[i]);
  }
  if (f->folder) rv_platform_remove_folder(f->folder);
  rv_free(f->folder);
  rv_array_free(&f->pictures);
  rv_cli_shot_close(&f->source);
}

// Lets the file caches of the scene read the files of an earlier run, as far as they belong to the values it has now.
static RvResult load_caches(Flipbook* f, const RvSession* session, RvError* error) {
  const char* outputs[RV_SHOT_MAX_DETAILS + 1];
  size_t count = f->source.noutput;
  memcpy(outputs, f->source.outputs, count * sizeof *outputs);
  const char* camera = f->camera ? f->camera : f->source.camera;
  if (camera && rv_scene_node_type(session->scene, camera)) outputs[count++] = camera;
  char* folder = rv_strf("%s/checkpoints", session->out);
  RvResult result = folder ? rv_scene_cached_use(session->scene, folder, outputs, count, f->anyway, error)
                           : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(folder);
  return result ? rv_error_context(error, "--cached") : RV_OK;
}

// Opens the source, renders all frames and reports.
static RvResult run(int argc, char** argv, RvTextList* words, RvError* error) {
  Flipbook f = {.floor = NAN, .bounds = {NAN, NAN}};
  RvSession session = {0};
  RvTextList set = {rv_alloc((size_t)argc + 1, sizeof(char*)), 0};
  double begun = rv_clock_wall();
  RvResult result =
      set.items ? parse(argc, argv, words, &set, &f, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Source: a folder of caches, or a scene.
  RvFileInfo info;
  if (!result && rv_platform_info(f.session.scene, &info) && info.kind == RV_FILE_FOLDER) {
    if (f.session.threads) rv_threads_set(f.session.threads);
    result = rv_cli_shots_from_folder(&f.source, f.session.scene, error);
    f.source.log = (RvLog){&f, on_message};
  } else if (!result) {
    result = rv_cli_session_open(&session, &f.session, error);
    if (!result) result = rv_cli_shots_from_scene(&f.source, &session, f.node, error);
    if (!result && f.cached) result = load_caches(&f, &session, error);
  }
  if (!result) result = render_all(&f, error);
  size_t count = f.pictures.count;
  clean_up(&f);
  rv_cli_session_close(&session, error);
  if (!result && !f.session.quiet)
    fprintf(stderr, "%zu picture%s in %.1f s: %s\n", count, count == 1 ? "" : "s", rv_clock_wall() - begun, f.output);
  rv_free(set.items);
  return result;
}

int rv_cli_flipbook(int argc, char** argv) {
  return rv_cli_call(run, argc, argv);
}
