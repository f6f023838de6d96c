// The same scenes cooked by the headless host and by the glue over the mock of the HDK: equal to the bit, node by node
// and frame by frame, for generators, filters and every solver; through a mock Solver SOP and through a mock DOP
// network.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/hdk_scene.h"

extern "C" {
#include "support/rv_test.h"
}

static RvError error;

#define HEAD "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 24], \"nodes\": {"
// fur on a ball that turns, shaken by a wave; a block of water and a spray fall on it, a drain is below
#define FUR                                                                                                         \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"                                                   \
  "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 12, \"length\": 0.03, \"points\": 8}}," \
  "\"d\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"filmheight\","                     \
  "  \"value\": [0.0001, 0, 0, 0]}},"                                                                               \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"d\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [24, 90]]},"    \
  "  \"tx\": {\"wave\": {\"amplitude\": 0.004, \"frequency\": 3}}}},"                                               \
  "\"solid\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [24, 90]]},"   \
  "  \"tx\": {\"wave\": {\"amplitude\": 0.004, \"frequency\": 3}}}},"                                               \
  "\"c\": {\"type\": \"collider\", \"inputs\": [\"solid\"], \"parms\": {\"voxelsize\": 0.006}},"
#define WATER                                                                                                   \
  "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.03, 0.012, 0.03], \"t\": [0, 0.05, 0],"                 \
  "  \"particlesep\": 0.006, \"v\": [0, -1, 0]}},"                                                              \
  "\"spray\": {\"type\": \"source\", \"parms\": {\"rate\": 4e-6, \"vel\": [0, -1, 0], \"size\": [0.02, 0.004, " \
  "0.02], \"t\": [0.01, 0.07, 0]}},"
#define WALLS "\"walls\": true, \"wallsmin\": [-0.08, -0.06, -0.08], \"wallsmax\": [0.08, 0.2, 0.08]"

struct Shot {
  const char* what;
  const char* text;
  int last;
};
static const Shot shots[] = {
    {"strandsolver",
     HEAD FUR "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\", \"c\", null],"
              " \"parms\": {\"substeps\": 2, \"gravity\": [0, {\"keys\": [[1, -9.81], [24, -5]]}, 0]}}}}",
     24},
    {"liquidsolver",
     HEAD FUR WATER "\"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"w\", \"c\", \"spray\"],"
                    " \"parms\": {\"particlesep\": 0.006, " WALLS "}}}}",
     6},
    {"filmsolver",
     HEAD FUR WATER "\"s\": {\"type\": \"filmsolver\", \"inputs\": [\"turn\", \"w\", \"c\", \"spray\"]}}}", 6},
    {"wetsolver",
     HEAD FUR WATER "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"turn\", \"w\", \"c\", \"spray\"], \"parms\": {"
                    "\"particlesep\": 0.006, \"substeps\": 2, \"drying\": 1e-6, " WALLS "}}}}",
     24}};

static RvScene* open(const char* text) {
  RvScene* scene;
  error = RvError();
  CHECK_OK(rv_scene_parse(text, strlen(text), "test", &scene, &error), error);
  return scene;
}

static uint64_t headless(RvScene* scene, const char* node, size_t output, double frame) {
  char name[80];
  snprintf(name, sizeof name, "%s:%zu", node, output + 1);
  const RvDetail* out = nullptr;
  CHECK_OK(rv_scene_cook(scene, name, frame, &out, &error), error);
  return rv_detail_hash(out);
}

// what of two details is not the same, in words
static std::string differences(const RvDetail* a, const RvDetail* b) {
  std::string out = rv_detail_same_topology(a, b) ? "" : " topology";
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner)
    for (int turn = 0; turn < 2; ++turn)
      for (size_t i = 0; i < rv_detail_attrib_count(turn ? b : a, (RvOwner)owner); ++i) {
        const RvAttrib* x = rv_detail_attrib(turn ? b : a, (RvOwner)owner, i);
        const RvAttrib* y = rv_detail_find(turn ? a : b, (RvOwner)owner, rv_attrib_name(x));
        const char* what = !y                           ? " (missing)"
                           : !rv_attrib_same_kind(x, y) ? " (kind)"
                           : !rv_attrib_equal(x, y)     ? " (values)"
                                                        : nullptr;
        if (what) out += std::string(" ") + rv_owner_name((RvOwner)owner) + "." + rv_attrib_name(x) + what;
      }
  return out;
}

static void expect(RvScene* scene, const HdkScene& glue, const char* node, size_t output, double frame) {
  uint64_t wanted = headless(scene, node, output, frame);
  RvDetail* got = glue.cook(node, output, frame);
  if (wanted != rv_detail_hash(got)) {
    char name[80];
    snprintf(name, sizeof name, "%s:%zu", node, output + 1);
    const RvDetail* out = nullptr;
    CHECK_OK(rv_scene_cook(scene, name, frame, &out, &error), error);
    fail_msg("node %s, output %zu, frame %g differs through the glue:%s", node, output + 1, frame,
             differences(out, got).c_str());
  }
  rv_detail_free(got);
}

// all nodes but the solver, also between frames; then the solver's outputs frame by frame
static void sops(void**) {
  for (const Shot& shot : shots) {
    RvScene* scene = open(shot.text);
    HdkScene glue(scene);
    for (double frame : {1.0, 3.0, 2.25, 1 + 1 / 3.0})
      for (size_t i = 0; i < rv_scene_node_count(scene); ++i)
        if (strcmp(rv_scene_node_name(scene, i), "s")) expect(scene, glue, rv_scene_node_name(scene, i), 0, frame);
    int last = shot.last < 6 ? shot.last : 6;
    for (int frame = 0; frame <= last; ++frame)
      for (size_t k = 0; k < 3; ++k) expect(scene, glue, "s", k, frame);
    for (SOP_Node* sop : glue.all()) {
      assert_true(sop->manages_ids);
      if (sop->ncook) assert_string_equal(mock_stale(*sop->gdh.mock_gdp()).c_str(), "");
    }
    // the states are not all the same, else nothing was compared
    assert_true(glue.hash("s", 2, 1) != glue.hash("s", 2, 2) && glue.hash("s", 2, 2) != glue.hash("s", 2, last));
    rv_scene_free(scene);
  }
}

// a Solver SOP runs its network on the start frame too; the state there is the start state, and no frame is ahead
static void the_start_frame_is_not_stepped(void**) {
  RvScene* scene = open(shots[0].text);
  HdkScene glue(scene);
  for (int frame = 1; frame <= 3; ++frame) expect(scene, glue, "s", 2, frame);
  rv_scene_free(scene);
}

// an artist's own Solver SOP, seeded with the raw strands: the step makes the start state of them on the start frame
static void an_unseeded_solver(void**) {
  RvScene* scene = open(shots[0].text);
  HdkScene glue(scene, false);
  for (int frame = 1; frame <= 5; ++frame) expect(scene, glue, "s", 2, frame);
  rv_scene_free(scene);
}

static void without_the_node_cache(void**) {
  for (const Shot& shot : shots) {
    RvScene* scene = open(shot.text);
    HdkScene glue(scene);
    for (int frame = 1; frame <= 4; ++frame) {
      for (SOP_Node* sop : glue.all()) sop->drop_cache();
      expect(scene, glue, "s", 2, frame);
    }
    rv_scene_free(scene);
  }
}

static void a_compiled_block_has_values_too(void**) {
  RvScene* scene = open(shots[0].text);
  HdkScene glue(scene);
  mock_compiled = true;
  expect(scene, glue, "h", 0, 1);
  expect(scene, glue, "turn", 0, 7);
  mock_compiled = false;
  rv_scene_free(scene);
}

// whole frames only: what stands still is the same, and what moves is simulated all the same
static void whole_frames(void**) {
  static const char still[] = HEAD
      "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"
      "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 8, \"length\": 0.03, \"points\": 8}},"
      "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"h\"], \"parms\": {\"restmode\": 1}}}}";
  setenv("RIVULET_WHOLE_FRAMES", "1", 1);
  RvScene* scene = open(still);
  HdkScene glue(scene);
  for (int frame = 1; frame <= 3; ++frame) expect(scene, glue, "s", 0, frame);
  rv_scene_free(scene);
  scene = open(shots[0].text);
  HdkScene moving(scene);
  assert_true(moving.hash("s", 0, 4) != moving.hash("s", 0, 3));
  rv_scene_free(scene);
  unsetenv("RIVULET_WHOLE_FRAMES");
}

//---------------------------------------------------------------------------------------------- DOPs

struct Dop {
  HdkScene sops;
  MockDopNet net;
  Dop(RvScene* scene, const char* type, double first, bool solve, MockSimTime reading = MOCK_TIME_END)
      : sops(scene), net((std::string("rivulet::") + type + "::1.0").c_str(), "dop", first, solve, reading) {
    HdkScene::set_parms(scene, "s", &net.node);
    const RvNodeType* row = rv_node_find(type);
    for (size_t i = 0; i < row->ninput; ++i) {
      OP_Node* from = sops.solver("s")->inner->inputs[i + 1];
      if (!from) continue;
      net.node.set_text((std::string(row->inputs[i].name) + "path").c_str(),
                        (std::string("/obj/") + from->getName().c_str()).c_str());
    }
  }
};

// the options of a DOP have the values of its own time, so the parameters stand still here
static std::string still(const char* text) {
  std::string out = text;
  const char keyed[] = "{\"keys\": [[1, -9.81], [24, -5]]}";
  size_t at = out.find(keyed);
  if (at != std::string::npos) out.replace(at, strlen(keyed), "-9.81");
  return out;
}

static const struct {
  MockSimTime time;
  const char* what;
} readings[] = {{MOCK_TIME_END, "end"}, {MOCK_TIME_START, "start"}, {MOCK_TIME_START_NOT_NEGATIVE, "start from 0"}};

// Compares frames of a DOP network with the headless host's.
static void expect_dop(RvScene* scene, Dop& dop, const char* what, int first, int last) {
  for (int frame = first; frame <= last; ++frame) {
    const GU_Detail* gdp = dop.net.geometry(frame);
    if (!gdp) fail_msg("%s: %s", what, mock_sim_messages.back().text.c_str());
    if (hdk_state_hash(*gdp) != headless(scene, "s", 2, frame)) fail_msg("%s: frame %d differs in DOPs", what, frame);
    assert_string_equal(mock_stale(*gdp).c_str(), "");
  }
}

// All solvers, solved on the creation frame or not.
static void dops(void**) {
  for (const Shot& shot : shots)
    for (bool solve : {true, false}) {
      RvScene* scene = open(still(shot.text).c_str());
      Dop dop(scene, shot.what, 1, solve);
      // without solving on the creation frame there is nothing yet
      expect_dop(scene, dop, shot.what, solve ? 1 : 2, 4);
      rv_scene_free(scene);
    }
}

// By either meaning of the engine's time no frame is early or late. What it means does not depend on the solver.
static void dop_time(void**) {
  for (bool solve : {true, false})
    for (auto& reading : readings) {
      RvScene* scene = open(still(shots[0].text).c_str());
      Dop dop(scene, "strandsolver", 1, solve, reading.time);
      std::string what = std::string("time is the ") + reading.what + (solve ? ", solved" : "");
      expect_dop(scene, dop, what.c_str(), solve ? 1 : 2, 4);
      rv_scene_free(scene);
    }
}

// A DOP whose hidden parameter says nothing: all but one of the cases are still right, and that one has a way out.
static void dops_without_the_hidden_parameter(void**) {
  for (bool solve : {true, false})
    for (auto& reading : readings) {
      RvScene* scene = open(still(shots[0].text).c_str());
      Dop dop(scene, "strandsolver", 1, solve, reading.time);
      dop.net.without_option = "steptime";
      if (reading.time != MOCK_TIME_END) setenv("RIVULET_DOP_TIME", "start", 1);
      // a creation frame whose time is no earlier than the start looks like a step that begins there
      if (reading.time == MOCK_TIME_START_NOT_NEGATIVE && solve) unsetenv("RIVULET_DOP_TIME");
      expect_dop(scene, dop, reading.what, solve ? 1 : 2, 4);
      unsetenv("RIVULET_DOP_TIME");
      rv_scene_free(scene);
    }
}

// 1 to 24, back to 12, to 24: what is cached is shown, what is not is made again, and both are the same
static void scrubbing_dops(void**) {
  for (size_t i : {0, 3}) {
    const Shot& shot = shots[i];
    RvScene* scene = open(still(shot.text).c_str());
    Dop dop(scene, shot.what, 1, true);
    uint64_t straight[25];
    for (int frame = 1; frame <= 24; ++frame) straight[frame] = hdk_state_hash(*dop.net.geometry(frame));
    assert_true(hdk_state_hash(*dop.net.geometry(12)) == straight[12]);
    assert_true(hdk_state_hash(*dop.net.geometry(24)) == straight[24]);
    assert_true(straight[12] != straight[24]);
    assert_true(straight[24] == headless(scene, "s", 2, 24));
    // the cache was full: the frames after 12 are thrown away and stepped again from its copy
    dop.net.frames.erase(dop.net.frames.upper_bound(12), dop.net.frames.end());
    assert_true(hdk_state_hash(*dop.net.geometry(12)) == straight[12]);
    assert_true(hdk_state_hash(*dop.net.geometry(24)) == straight[24]);
    assert_true(hdk_state_hash(*dop.net.geometry(1)) == straight[1]);
    rv_scene_free(scene);
  }
}

// Escape is pressed in the user interface, at any moment of a simulation: the frames that were made are right, the one that
// was stopped is not kept, and playing on gives the same frames.
static void escape_from_another_thread(void**) {
  RvScene* scene = open(still(shots[3].text).c_str());
  Dop dop(scene, "wetsolver", 1, true);
  std::atomic<bool> over{false};
  int stopped = 0;
  std::thread artist([&over] {
    while (!over) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      mock_escape = true;
    }
  });
  for (int frame = 1; frame <= 6; ++frame)
    while (!dop.net.geometry(frame)) {
      ++stopped;
      assert_non_null(strstr(mock_sim_messages.back().text.c_str(), "interrupted"));
      // the artist tires
      if (stopped > 20) over = true;
    }
  over = true;
  artist.join();
  mock_escape = false;
  assert_true(stopped > 0);
  expect_dop(scene, dop, "wetsolver after Escape", 1, 6);
  rv_scene_free(scene);
}

static void dop_trouble(void**) {
  RvScene* scene = open(still(shots[0].text).c_str());
  Dop dop(scene, "strandsolver", 1, true);
  // a wrong value and a wrong path are named, and the frame is not kept
  dop.net.node.set_number("substeps", 0, 0);
  assert_null(dop.net.geometry(1));
  assert_non_null(strstr(mock_sim_messages.back().text.c_str(), "substeps"));
  assert_int_equal(mock_sim_messages.back().severity, UT_ERROR_ABORT);
  assert_int_equal(dop.net.frames.size(), 0);
  dop.net.node.set_number("substeps", 0, 2);
  dop.net.node.set_text("colliderspath", "/obj/nothere");
  assert_null(dop.net.geometry(1));
  assert_non_null(strstr(mock_sim_messages.back().text.c_str(), "colliderspath: '/obj/nothere'"));
  dop.net.node.set_text("colliderspath", "/obj/c");
  // cancelled in a step
  assert_non_null(dop.net.geometry(2));
  mock_interrupt_polls = 0;
  mock_interrupt_after = 2;
  assert_null(dop.net.geometry(3));
  mock_interrupt_after = -1;
  assert_int_equal(dop.net.frames.size(), 2);
  assert_non_null(dop.net.geometry(3));
  assert_true(hdk_state_hash(*dop.net.geometry(3)) == headless(scene, "s", 2, 3));
  // an object that came long after the start frame
  Dop late(scene, "strandsolver", 10, true);
  assert_null(late.net.geometry(10));
  assert_non_null(strstr(mock_sim_messages.back().text.c_str(), "startframe"));
  late.net.node.set_number("startframe", 0, 10);
  // the network's own time begins with it, inputs do not
  CHECK_OK(rv_scene_set(scene, "s.startframe=10", &error), error);
  assert_non_null(late.net.geometry(12));
  assert_true(hdk_state_hash(*late.net.geometry(12)) == headless(scene, "s", 2, 12));
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(sops), cmocka_unit_test(the_start_frame_is_not_stepped),
         cmocka_unit_test(an_unseeded_solver), cmocka_unit_test(without_the_node_cache),
         cmocka_unit_test(a_compiled_block_has_values_too), cmocka_unit_test(whole_frames), cmocka_unit_test(dops),
         cmocka_unit_test(dop_time), cmocka_unit_test(dops_without_the_hidden_parameter), cmocka_unit_test(escape_from_another_thread),
         cmocka_unit_test(scrubbing_dops), cmocka_unit_test(dop_trouble))
