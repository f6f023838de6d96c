// Every node type through the glue and the mock of the HDK: it registers, shows the parameters of its table, cooks as
// the headless host does, names a wrong value, and can be cancelled.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "hdk_host.h"
#include "support/hdk_scene.h"

extern "C" {
#include "support/rv_test.h"
}

static RvError error;

// One node of every type, each fed well enough to cook.
static const char all_types[] =
    "{\"rivulet\": 1, \"fps\": 25, \"frames\": [1, 10], \"nodes\": {"
    "\"sphere\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"
    "\"box\": {\"type\": \"box\", \"parms\": {\"size\": [0.1, 0.2, 0.1]}},"
    "\"grid\": {\"type\": \"grid\"}, \"tube\": {\"type\": \"tube\"},"
    "\"bust\": {\"type\": \"bust\", \"parms\": {\"divisions\": 16}}, \"curve\": {\"type\": \"curve\"},"
    "\"camera\": {\"type\": \"camera\"}, \"light\": {\"type\": \"light\"},"
    "\"lookmaterial\": {\"type\": \"lookmaterial\", \"inputs\": [\"groom\"]},"
    "\"file\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/in.$F4.bgeo\", \"missingframe\": \"hold\"}},"
    "\"groom\": {\"type\": \"groom\", \"inputs\": [\"sphere\"], \"parms\": {\"count\": 10, \"length\": 0.03,"
    "  \"points\": 8, \"style\": \"wavy\"}},"
    "\"transform\": {\"type\": \"transform\", \"inputs\": [\"sphere\"], \"parms\": {"
    "  \"tx\": {\"keys\": [[1, 0], [10, 0.3]], \"interp\": \"smooth\"}, \"rz\": {\"wave\": {\"amplitude\": 20, "
    "\"frequency\": 1.7}}}},"
    "\"deform\": {\"type\": \"deform\", \"inputs\": [\"groom\", \"sphere\", \"transform\"]},"
    "\"guides\": {\"type\": \"guides\", \"inputs\": [\"groom\"]},"
    "\"move\": {\"type\": \"transform\", \"inputs\": [\"guides\"], \"parms\": {\"rx\": {\"keys\": [[1, 0], [10, "
    "50]]}}},"
    "\"transfer\": {\"type\": \"transfer\", \"inputs\": [\"groom\", \"guides\", \"move\"]},"
    "\"fill\": {\"type\": \"fill\", \"inputs\": [\"sphere\"], \"parms\": {\"particlesep\": 0.008}},"
    "\"source\": {\"type\": \"source\", \"inputs\": [\"sphere\"], \"parms\": {\"rate\": 1e-5}},"
    "\"collider\": {\"type\": \"collider\", \"inputs\": [\"transform\"], \"parms\": {\"voxelsize\": 0.008}},"
    "\"material\": {\"type\": \"material\", \"inputs\": [\"groom\"]},"
    "\"attribute\": {\"type\": \"attribute\", \"inputs\": [\"groom\"], \"parms\": {\"name\": \"wetadd\", \"mode\": "
    "\"ramp\","
    "  \"ramp\": [[0, 0.1, \"linear\"], [0.3, 0.7, \"smooth\"], [1, 0.2, \"constant\"]]}},"
    "\"group\": {\"type\": \"group\", \"inputs\": [\"groom\"], \"parms\": {\"groupname\": \"tips\", \"mode\": "
    "\"curveu\", \"curveu\": [0.6, 1]}},"
    "\"blast\": {\"type\": \"blast\", \"inputs\": [\"group\"], \"parms\": {\"group\": \"tips\"}},"
    "\"merge\": {\"type\": \"merge\", \"inputs\": [\"collider\", null, \"group\", \"fill\"]},"
    "\"filecache\": {\"type\": \"filecache\", \"inputs\": [\"merge\"]},"
    "\"strandsolver\": {\"type\": \"strandsolver\", \"inputs\": [\"groom\"]},"
    "\"liquidsolver\": {\"type\": \"liquidsolver\", \"inputs\": [\"fill\"], \"parms\": {\"particlesep\": 0.008}},"
    "\"filmsolver\": {\"type\": \"filmsolver\", \"inputs\": [\"groom\"]},"
    "\"interfacesolver\": {\"type\": \"interfacesolver\", \"inputs\": [\"fill\"], \"parms\": {\"particlesep\": 0.008}},"
    "\"lookdevsolver\": {\"type\": \"lookdevsolver\", \"inputs\": [\"groom\", \"fill\"], \"parms\": {\"particlesep\": "
    "0.008}},"
    "\"continuumsolver\": {\"type\": \"continuumsolver\", \"inputs\": [\"groom\"]},"
    "\"wetness\": {\"type\": \"wetness\", \"inputs\": [\"filmsolver\"]},"
    "\"surface\": {\"type\": \"surface\", \"inputs\": [\"fill\"], \"parms\": {\"voxelsize\": 0.008}},"
    "\"wetsolver\": {\"type\": \"wetsolver\", \"inputs\": [\"groom\", \"fill\"], \"parms\": {\"particlesep\": 0.008}}"
    "}}";

static RvScene* open() {
  static char text[sizeof all_types + 512];
  const char* folder = rv_test_folder();
  for (int frame = 1; frame <= 3; ++frame) {
    char path[512];
    RvDetail* d = rv_detail_new();
    CHECK_OK(rv_detail_add_curves(d, (size_t)frame, 3, nullptr, nullptr, &error), error);
    snprintf(path, sizeof path, "%s/in.%04d.bgeo", folder, frame);
    CHECK_OK(rv_detail_save(d, path, nullptr, &error), error);
    rv_detail_free(d);
  }
  snprintf(text, sizeof text, all_types, folder);
  RvScene* scene = nullptr;
  error = RvError();
  CHECK_OK(rv_scene_parse(text, strlen(text), "test", &scene, &error), error);
  return scene;
}

static size_t built_in() {
  size_t n = 0;
  while (n < rv_node_type_count() && !(rv_node_type(n)->flags & RV_NODE_HIDDEN)) ++n;
  return n;
}

static std::vector<std::string> operators_of(const RvNodeType* type) {
  std::string base = std::string("rivulet::") + type->type;
  bool solver = type->flags & RV_NODE_SOLVER;
  std::vector<std::string> out = {base + (solver ? "_step::1.0" : "::1.0")};
  for (size_t k = solver ? 0 : 1; k + solver < type->noutput; ++k)
    out.push_back(base + "_" + type->outputs[k].name + "::1.0");
  return out;
}

static void every_type_registers(void**) {
  OP_OperatorTable& table = hdk_operators();
  size_t count = 0, dops = 0;
  for (size_t i = 0; i < built_in(); ++i) {
    const RvNodeType* type = rv_node_type(i);
    bool solver = type->flags & RV_NODE_SOLVER;
    for (const std::string& name : operators_of(type)) {
      ++count;
      if (!table.ops.count(name)) fail_msg("%s is not registered", name.c_str());
      const OP_Operator& op = *table.ops.at(name);
      assert_string_equal(op.label, type->label);
      assert_int_equal(table.hidden.count(name), solver);
      assert_int_equal(op.outputs, 1);
      // Houdini finds the verb by the operator's name
      assert_non_null(SOP_NodeVerb::lookupVerb(name));
      bool step = name.find("_step::") != std::string::npos;
      assert_int_equal(op.max_inputs, !solver ? type->ninput : step ? type->ninput + 1 : 1);
    }
    std::string dop = std::string("rivulet::") + type->type + "::1.0";
    assert_int_equal(mock_dop_types().count(dop), (type->flags & RV_NODE_DOP) != 0);
    // the asset of a solver has its outputs
    if (solver) assert_int_equal(hdk_asset_outputs(type), type->noutput);
    dops += (type->flags & RV_NODE_DOP) != 0;
  }
  // and no other
  assert_int_equal(table.ops.size(), count);
  assert_int_equal(mock_dop_types().size(), dops);
  assert_true(dops >= 4);
}

static void check_templates(const RvNodeType* type, const PRM_Template* list, bool dop) {
  size_t shown = 0, paths = 0;
  for (; !list->token.empty(); ++list) {
    // of a DOP: hidden, evaluated for the end of each step
    if (dop && list->token == "steptime") {
      assert_true(list->invisible && list->expression == "$ST");
      continue;
    }
    const RvParmDef* row = rv_parm_find(type->parms, list->token.c_str());
    if (!row) {
      ++paths;
      bool known = false;
      for (size_t i = 0; i < type->ninput; ++i) known |= list->token == std::string(type->inputs[i].name) + "path";
      if (!known || !dop) fail_msg("%s shows '%s', which is not in its table", type->type, list->token.c_str());
      continue;
    }
    ++shown;
    assert_string_equal(list->label.c_str(), row->label);
    assert_int_equal(list->size, row->size > 1 ? row->size : 1);
    if (row->type == RV_PARM_FLOAT || row->type == RV_PARM_INT)
      for (int c = 0; c < list->size; ++c) assert_true(atof(list->defaults.at((size_t)c).c_str()) == row->standard[c]);
    if (row->type == RV_PARM_MENU) assert_true(list->menu.size() > 1);
  }
  size_t wanted = 0;
  for (size_t i = 0; i < type->parms->count; ++i) wanted += type->parms->rows[i].type != RV_PARM_FOLDER;
  assert_int_equal(shown, wanted);
  assert_int_equal(paths, dop ? type->ninput : 0);
}

static void parameters_are_those_of_the_table(void**) {
  for (size_t i = 0; i < built_in(); ++i) {
    const RvNodeType* type = rv_node_type(i);
    for (const std::string& name : operators_of(type))
      check_templates(type, hdk_operators().ops.at(name)->templates, false);
    if (type->flags & RV_NODE_DOP)
      check_templates(type, mock_dop_types().at(std::string("rivulet::") + type->type + "::1.0").description->templates,
                      true);
  }
}

static void labels_of_inputs(void**) {
  RvScene* scene = open();
  HdkScene glue(scene);
  assert_string_equal(glue.sop("deform")->label_of(2), rv_node_find("deform")->inputs[2].label);
  assert_string_equal(glue.solver("wetsolver")->inner->label_of(0), "State");
  assert_string_equal(glue.solver("wetsolver")->inner->label_of(2), "Liquid");
  assert_string_equal(glue.sop("wetsolver", 1)->label_of(0), "State");
  rv_scene_free(scene);
}

static void every_type_cooks(void**) {
  RvScene* scene = open();
  HdkScene glue(scene);
  for (size_t i = 0; i < built_in(); ++i) {
    const char* name = rv_node_type(i)->type;
    if (!rv_scene_node_type(scene, name)) fail_msg("the test has no node of type %s", name);
    for (double frame : {1.0, 3.0, 2.6}) {
      size_t noutput = rv_node_type(i)->flags & RV_NODE_SOLVER ? rv_node_type(i)->noutput : 1;
      for (size_t k = 0; k < noutput; ++k) {
        char output[80];
        snprintf(output, sizeof output, "%s:%zu", name, k + 1);
        const RvDetail* wanted = nullptr;
        CHECK_OK(rv_scene_cook(scene, output, frame, &wanted, &error), error);
        if (rv_detail_hash(wanted) != glue.hash(name, k, frame))
          fail_msg("%s at frame %g differs through the glue", output, frame);
      }
    }
  }
  rv_scene_free(scene);
}

// the first parameter with a bound or a menu, put beyond it
static const RvParmDef* spoil(const RvNodeType* type, SOP_Node* sop) {
  for (size_t i = 0; i < type->parms->count; ++i) {
    const RvParmDef* row = type->parms->rows + i;
    bool number = row->type == RV_PARM_FLOAT || row->type == RV_PARM_INT;
    if (!(number && (row->hard_min || row->hard_max)) && row->type != RV_PARM_MENU) continue;
    sop->set_number(row->token, 0, row->type == RV_PARM_MENU ? 99 : row->hard_min ? row->min - 1 : row->max + 1);
    return row;
  }
  return nullptr;
}

static void a_wrong_value_is_named(void**) {
  RvScene* scene = open();
  for (size_t i = 0; i < built_in(); ++i) {
    const RvNodeType* type = rv_node_type(i);
    HdkScene glue(scene);
    bool solver = type->flags & RV_NODE_SOLVER;
    SOP_Node* sop = solver ? glue.solver(type->type)->inner : glue.sop(type->type);
    const RvParmDef* row = spoil(type, sop);
    std::string said, wanted = row ? row->token : "";
    if (!row) {
      // nothing in the table can be wrong: what is wired in is missing then, or there is nothing to get wrong
      if (!type->ninput || !type->inputs[0].required) continue;
      sop->inputs[0] = nullptr;
      wanted = "input 1";
    }
    RvDetail* made = glue.cook(type->type, solver ? type->noutput - 1 : 0, 2, &said);
    assert_null(made);
    if (!strstr(said.c_str(), wanted.c_str()))
      fail_msg("%s: '%s' does not name %s", type->type, said.c_str(), wanted.c_str());
    // nothing of the last good frame is left
    assert_int_equal(sop->gdh.mock_gdp()->getNumPoints(), 0);
  }
  rv_scene_free(scene);
}

static void missing_inputs_are_named(void**) {
  RvScene* scene = open();
  HdkScene glue(scene);
  std::string said;
  glue.sop("deform")->inputs[1] = nullptr;
  assert_null(glue.cook("deform", 0, 1, &said));
  assert_non_null(strstr(said.c_str(), "input 2"));
  glue.sop("wetsolver", 0)->inputs[0] = nullptr;
  assert_null(glue.cook("wetsolver", 0, 1, &said));
  assert_non_null(strstr(said.c_str(), "wire the state of a wetsolver"));
  glue.sop("wetsolver", 1)->inputs[0] = glue.sop("groom");
  assert_null(glue.cook("wetsolver", 1, 1, &said));
  assert_non_null(strstr(said.c_str(), "no state of a wetsolver"));
  // the file of frame 0 is not there, and nothing before it
  assert_null(glue.cook("file", 0, 0, &said));
  assert_non_null(strstr(said.c_str(), "in.0000.bgeo"));
  rv_scene_free(scene);
}

// Houdini gives a path back with the frame in it; the paths of earlier frames are asked for at their times
static void a_missing_file_is_held(void**) {
  RvScene* scene = open();
  HdkScene glue(scene);
  const RvDetail* wanted = nullptr;
  CHECK_OK(rv_scene_cook(scene, "file", 6, &wanted, &error), error);
  assert_int_equal(rv_detail_count(wanted, RV_PRIM), 3);
  assert_true(glue.hash("file", 0, 6) == rv_detail_hash(wanted));
  rv_scene_free(scene);
}

static void every_type_can_be_cancelled(void**) {
  RvScene* scene = open();
  HdkScene glue(scene);
  for (size_t i = 0; i < built_in(); ++i) {
    const RvNodeType* type = rv_node_type(i);
    size_t output = type->flags & RV_NODE_SOLVER ? type->noutput - 1 : 0;
    uint64_t before = glue.hash(type->type, output, 2);
    // at once, and where the step has begun
    for (int after : {0, 2}) {
      if (after && !output) continue;
      SOP_Node* sop = output ? glue.solver(type->type)->inner : glue.sop(type->type);
      if (output) glue.solver(type->type)->drop_frames();
      for (OP_Node* input : sop->inputs)
        if (input) input->castToSOPNode()->ncook = 0;
      // inputs are there already: the poll that stops is the node's own
      std::string said;
      for (OP_Node* input : sop->inputs) {
        OP_Context context(1 / CHgetManager()->fps);
        if (input) input->castToSOPNode()->getCookedGeoHandle(context);
      }
      if (output) {
        OP_Context start(0);
        glue.solver(type->type)->getCookedGeoHandle(start);
        for (OP_Node* input : sop->inputs) {
          OP_Context context(1 / CHgetManager()->fps);
          if (input) input->castToSOPNode()->getCookedGeoHandle(context);
        }
      }
      sop->touch();
      mock_interrupt_polls = 0;
      mock_interrupt_after = after;
      RvDetail* made = glue.cook(type->type, output, 2, &said);
      mock_interrupt_after = -1;
      if (made) fail_msg("%s was not cancelled", type->type);
      if (!strstr(said.c_str(), "interrupted")) fail_msg("%s: %s", type->type, said.c_str());
      assert_int_equal(sop->gdh.mock_gdp()->getNumPoints(), 0);
    }
    assert_true(glue.hash(type->type, output, 2) == before);
  }
  rv_scene_free(scene);
}

static void warnings_come_through(void**) {
  RvScene* scene = open();
  HdkScene glue(scene);
  GU_Detail odd;
  odd.appendPointBlock(2);
  odd.addTuple(MOCK_STORE_ARRAY, GA_ATTRIB_POINT, "list", 1);
  MockHoldSop hold("odd");
  hold.hold(odd);
  glue.sop("material")->inputs[0] = &hold;
  std::string said;
  RvDetail* d = glue.cook("material", 0, 1, &said);
  rv_detail_free(d);
  assert_true(!glue.sop("material")->warnings.empty());
  assert_non_null(strstr(glue.sop("material")->warnings[0].c_str(), "attribute list"));
  rv_scene_free(scene);
}

// an output that a solver never fills is told of on the node that extracts it, and no other is
static void an_empty_output_is_told(void**) {
  RvScene* scene = open();
  HdkScene glue(scene);
  for (size_t output = 0; output < 2; ++output) {
    rv_detail_free(glue.cook("liquidsolver", output, 2));
    const std::vector<std::string>& said = glue.sop("liquidsolver", output)->warnings;
    assert_int_equal(said.size(), output);
    if (output) assert_non_null(strstr(said[0].c_str(), "output 2 (strands) of liquidsolver is always empty"));
  }
  rv_scene_free(scene);
}

// any thread may ask whether Escape was pressed; Houdini tells it once, and from then on all threads know
static void any_thread_may_ask_for_escape(void**) {
  RvHdkBoss boss("test");
  RvHdkCook cook = {};
  rv_hdk_begin(&cook, rv_node_find("sphere"), "s", 0, &boss);
  std::atomic<int> asked{0}, stopped{0};
  std::vector<std::thread> threads;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);  // a thread that is not told gives up
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      ++asked;
      bool told = false;
      while (!told && std::chrono::steady_clock::now() < end) told = cook.job.cancelled(cook.job.user, 0.5, "test");
      stopped += told;
    });
  while (asked < 4) std::this_thread::yield();
  mock_escape = true;
  for (auto& thread : threads) thread.join();
  assert_int_equal(stopped, 4);
  assert_true(cook.job.cancelled(cook.job.user, 1, "test"));
}

// the error of a step is on the step, on the Solver SOP around it and on the outputs behind it
static void an_error_is_on_every_node(void**) {
  RvScene* scene = open();
  HdkScene glue(scene);
  MockSolverSop* solver = glue.solver("wetsolver");
  solver->inner->set_number("substeps", 0, -1);
  std::string said;
  assert_null(glue.cook("wetsolver", 0, 2, &said));
  for (SOP_Node* sop :
       {static_cast<SOP_Node*>(solver->inner), static_cast<SOP_Node*>(solver), glue.sop("wetsolver", 0)}) {
    assert_int_equal(sop->errors.size(), 1);
    assert_non_null(strstr(sop->errors[0].c_str(), "substeps"));
  }
  rv_scene_free(scene);
}

static void the_unit_of_the_scene(void**) {
  RvScene* scene = open();
  rv_scene_set_meters_per_unit(scene, 0.01);
  setenv("RIVULET_METERS_PER_UNIT", "0.01", 1);
  HdkScene glue(scene);
  const RvDetail* wanted = nullptr;
  CHECK_OK(rv_scene_cook(scene, "groom", 1, &wanted, &error), error);
  uint64_t hash = rv_detail_hash(wanted);
  assert_true(hash == glue.hash("groom", 0, 1));
  unsetenv("RIVULET_METERS_PER_UNIT");
  glue.sop("groom")->touch();
  assert_true(hash != glue.hash("groom", 0, 1));
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(every_type_registers), cmocka_unit_test(parameters_are_those_of_the_table),
         cmocka_unit_test(labels_of_inputs), cmocka_unit_test(every_type_cooks),
         cmocka_unit_test(a_wrong_value_is_named), cmocka_unit_test(missing_inputs_are_named),
         cmocka_unit_test(a_missing_file_is_held), cmocka_unit_test(every_type_can_be_cancelled),
         cmocka_unit_test(warnings_come_through), cmocka_unit_test(an_empty_output_is_told),
         cmocka_unit_test(any_thread_may_ask_for_escape), cmocka_unit_test(an_error_is_on_every_node),
         cmocka_unit_test(the_unit_of_the_scene))
