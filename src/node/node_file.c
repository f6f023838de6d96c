// File: reads geometry from one file, or from one file a frame.
#include "node/define.h"
#include "node/load.h"

#define FILE_PARMS(X)                                                                       \
  X(FILE, file, "Geometry File", "",                                                        \
    "A .geo, .bgeo, .bgeo.sc or .vdb file, or the curves of a .usda. $F4 stands for the frame number of a sequence.") \
  X(MENU, missingframe, "Missing Frame", 0, RV_MISSING_MENU,                                \
    "Result of a frame without a file: an error, no geometry, or the last earlier frame that exists.")
RV_PARM_TABLE(FileParms, file_table, FILE_PARMS)

static const RvPortDef file_outputs[] = {{"geometry", "Geometry", "Contents of the file.", false}};

// Reads the file of the frame; the offset of its path lets the path be asked for at earlier frames.
static RvResult cook(RvCook* cook, RvError* error) {
  const FileParms* p = cook->parms;
  return rv_load_frame(cook, p->file, (RvMissing)p->missingframe, offsetof(FileParms, file), &cook->output[0], error);
}

RV_NODE_TYPE(file, "File", "Files", "Reads geometry from a file or a sequence of files.",
             "A path with $F makes the node depend on the frame; between frames the file of the nearest frame is "
             "read. A file that changes on disk is read again: its size and time are part of what the host compares "
             "before it reuses a result. Unknown kinds of records are skipped, with a warning that names them.",
             .flags = RV_NODE_GENERATOR, RV_NODE_OUTPUTS(file_outputs))
