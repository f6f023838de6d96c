// Houdini's VDB primitives and RvGrid share voxels: only the small grid object is copied.
#include "hdk_vdb.h"

#include <GU/GU_Detail.h>
#include <GU/GU_PrimVDB.h>
#include <openvdb/Grid.h>

#include <cstring>
#include <string>

#include "hdk_host.h"

bool rv_hdk_vdb_is_metadata(const char* attribute) {
  std::string word = std::string(" ") + attribute + " ";
  return strstr(" class value_type vector_type is_local_space is_vdb is_saved_as_half_float ", word.c_str());
}

RvResult rv_hdk_vdb_read(const void* prim, const char* name, RvGrid** out, RvError* error) {
  RV_HDK_BEGIN
  const openvdb::GridBase& source = static_cast<const GEO_PrimVDB*>(prim)->getGrid();
  openvdb::GridBase::Ptr grid = openvdb::ConstPtrCast<openvdb::GridBase>(source.copyGrid());
  if (grid->getName() != name) grid->setName(name);
  return rv_grid_from_native(&grid, out, error);
  RV_HDK_END(error)
}

RvResult rv_hdk_vdb_write(const RvGrid* grid, void* gdp, RvError* error) {
  RV_HDK_BEGIN
  const auto& source = *static_cast<const openvdb::GridBase::Ptr*>(rv_grid_native(grid));
  // Houdini turns metadata into primitive attributes. So it gets a grid with its class only, and the metadata are
  // inserted into the new primitive afterwards.
  openvdb::GridBase::Ptr shown = source->copyGrid();
  shown->clearMetadata();
  shown->setGridClass(source->getGridClass());
  GU_PrimVDB* prim = GU_PrimVDB::buildFromGrid(*static_cast<GU_Detail*>(gdp), shown, nullptr, rv_grid_name(grid));
  if (!prim) return rv_fail(error, RV_SHIM, "Houdini made no VDB primitive of the grid '%s'", rv_grid_name(grid));
  prim->getGrid().clearMetadata();
  prim->getGrid().insertMeta(*source);
  return RV_OK;
  RV_HDK_END(error)
}
