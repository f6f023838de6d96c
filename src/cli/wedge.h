// Variations of a scene: every combination of the given values, each cooked into a folder of its own.
#ifndef RV_CLI_WEDGE_H
#define RV_CLI_WEDGE_H

#include "cli/cli.h"

enum { RV_WEDGE_MAX = 1000, RV_WEDGE_MAX_AXES = 8 };  // variations; varied parameters

// One --vary: "wet.drying=0,1e-6,1e-5".
typedef struct RvWedgeAxis {
  char* name;     // node.parm
  char** values;  // [count]
  size_t count;
} RvWedgeAxis;

// A wedge, saved as DIR/wedge.json so that a single variation can run alone, later, or on another machine.
typedef struct RvWedge {
  char* dir;                      // absolute path of the folder
  char* scene;                    // absolute path of the scene
  char *frames, *picture, *size;  // as given; NULL: the scene's, none, 480x270
  char* simulation;               // folder of the one simulation whose look varies; NULL: each variation cooks its own
  char* key;                      // hash of the scene and of all that is above, by which a wedge is resumed
  char* confine;                  // absolute paths DIR:DIR of the folders that the scene may use; NULL: all
  RvWedgeAxis axes[RV_WEDGE_MAX_AXES];
  size_t naxis;
  size_t count;  // variations
} RvWedge;

// Variations that failed, and whether one of them had no memory or an internal error (exit code 2).
typedef struct RvWedgeFailures {
  size_t count;
  bool internal;
} RvWedgeFailures;

// Parses the --vary texts and tries their values on the scene; `confine` is that of the command line. The error names
// the text at fault.
RvResult rv_cli_wedge_plan(RvWedge* wedge, const char* scene, const char* dir, const RvTextList* vary,
                           const char* confine, RvError* error);
// RV_BAD_INPUT if a varied parameter reaches the simulation: --cached varies only the look.
RvResult rv_cli_wedge_check_look(const RvWedge* wedge, RvError* error);
void rv_cli_wedge_free(RvWedge* wedge);
RvResult rv_cli_wedge_save(const RvWedge* wedge, RvError* error);
RvResult rv_cli_wedge_load(RvWedge* wedge, const char* dir, RvError* error);
// "wet.drying=1e-6" of axis `axis` in variation `index`; rv_free it.
char* rv_cli_wedge_assignment(const RvWedge* wedge, size_t index, size_t axis);
// Gives a planned wedge its key. A folder that holds the wedge of the same key is taken up (*resumed); one with another
// wedge is refused.
RvResult rv_cli_wedge_claim(RvWedge* wedge, bool* resumed, RvError* error);
// A file of a variation: DIR/w0003/name; rv_free it.
char* rv_cli_wedge_path(const RvWedge* wedge, size_t index, const char* name);
// *done: the variation was cooked and drawn completely.
RvResult rv_cli_wedge_is_done(const RvWedge* wedge, size_t index, bool* done, RvError* error);

// Cooks the simulation that all variations draw, or finishes it.
RvResult rv_cli_wedge_simulate(const RvWedge* wedge, RvError* error);
// Cooks one variation in this process, draws its picture and marks its folder as done.
RvResult rv_cli_wedge_task(const RvWedge* wedge, size_t index, int threads, RvError* error);
// Runs the variations marked in `todo` [count] as processes, `jobs` at once.
RvResult rv_cli_wedge_local(const RvWedge* wedge, const bool* todo, int jobs, RvWedgeFailures* failures,
                            RvError* error);
// Submits the variations to Slurm as a job array, and a dependent job for the sheet.
RvResult rv_cli_wedge_slurm(const RvWedge* wedge, const bool* todo, RvError* error);
// Makes DIR/sheet.png: all pictures with their values; failed variations are marked.
RvResult rv_cli_wedge_sheet(const RvWedge* wedge, RvError* error);

#endif
