// Variations of a scene: every combination of the values that were asked for, each cooked into a folder of its own.
#ifndef RV_CLI_WEDGE_H
#define RV_CLI_WEDGE_H

#include "cli/cli.h"

enum { RV_WEDGE_MOST = 1000, RV_WEDGE_MOST_AXES = 8 };

// One --vary: "wet.drying=0,1e-6,1e-5".
typedef struct RvWedgeAxis {
  char* name;     // node.parm
  char** values;  // [count]
  size_t count;
} RvWedgeAxis;

// What DIR/wedge.json holds, so that one task can be run alone, later, and on another machine.
typedef struct RvWedge {
  char* dir;
  char* scene;
  char *frames, *picture, *size;  // as given; NULL: the scene's, its last frame, 480x270
  RvWedgeAxis axes[RV_WEDGE_MOST_AXES];
  size_t naxis;
  size_t count;  // of variations
} RvWedge;

// Splits the --vary texts. The error names the one that is wrong.
RvResult rv_cli_wedge_plan(RvWedge* wedge, const char* scene, const char* dir, const RvTextList* vary, RvError* error);
void rv_cli_wedge_free(RvWedge* wedge);
RvResult rv_cli_wedge_save(const RvWedge* wedge, RvError* error);
RvResult rv_cli_wedge_load(RvWedge* wedge, const char* dir, RvError* error);
// "wet.drying=1e-6" of axis `axis` in variation `index`; rv_free it.
char* rv_cli_wedge_assignment(const RvWedge* wedge, size_t index, size_t axis);
// A file of a variation: DIR/w0003/name; rv_free it.
char* rv_cli_wedge_path(const RvWedge* wedge, size_t index, const char* name);
// Whether it was cooked and drawn to the end.
bool rv_cli_wedge_is_done(const RvWedge* wedge, size_t index);

// Cooks one variation in this process and draws its picture. Says so in its folder when it is done.
RvResult rv_cli_wedge_task(const RvWedge* wedge, size_t index, int threads, RvError* error);
// Runs variations as processes, `jobs` at once; `todo` [count] says which. Returns how many failed.
RvResult rv_cli_wedge_local(const RvWedge* wedge, const bool* todo, int jobs, size_t* failed, RvError* error);
// Submits them as a job array, and a job for the sheet that waits for it.
RvResult rv_cli_wedge_slurm(const RvWedge* wedge, const bool* todo, RvError* error);
// DIR/sheet.png: all pictures with their values; those that failed say so.
RvResult rv_cli_wedge_sheet(const RvWedge* wedge, RvError* error);

#endif
