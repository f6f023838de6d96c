// Conversion of geometry between GU_Detail and RvDetail. Houdini addresses elements by offset, we by index; `Elements`
// lists the offsets in the order of our indices.
#include "hdk_geo.h"

#include <GA/GA_AIFTuple.h>
#include <GA/GA_Handle.h>
#include <GEO/GEO_PolyCounts.h>
#include <GEO/GEO_PrimPoly.h>
#include <GU/GU_Detail.h>
#include <GU/GU_PrimVDB.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "hdk_host.h"
#include "hdk_vdb.h"

namespace {

// Houdini's owners, storages and type infos, indexed by RvOwner, RvStorage and RvTag.
const GA_AttributeOwner OWNERS[] = {GA_ATTRIB_POINT, GA_ATTRIB_VERTEX, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL};
const GA_Storage STORAGES[] = {GA_STORE_REAL16, GA_STORE_REAL32, GA_STORE_REAL64,
                               GA_STORE_INT8,   GA_STORE_INT32,  GA_STORE_INT64};
const GA_TypeInfo NO_ARITHMETIC = GA_TYPE_NONARITHMETIC_INTEGER;
const GA_TypeInfo TAG_TYPES[] = {GA_TYPE_VOID,      GA_TYPE_POINT,         GA_TYPE_HPOINT,     GA_TYPE_VECTOR,
                                 GA_TYPE_NORMAL,    GA_TYPE_COLOR,         GA_TYPE_QUATERNION, GA_TYPE_TRANSFORM,
                                 GA_TYPE_TRANSFORM, GA_TYPE_TEXTURE_COORD, NO_ARITHMETIC};

// The RvPrimType of a primitive; -1: it has to be unpacked or converted first.
int32_t prim_type(const GA_Primitive* prim) {
  int id = prim->getTypeId().get();
  if (id != GEO_PRIMPOLY) return id == GEO_PRIMVDB ? RV_PRIM_VDB : -1;
  return static_cast<const GEO_PrimPoly*>(prim)->isClosed() ? RV_PRIM_POLYGON : RV_PRIM_CURVE;
}

// The elements of a GU_Detail that a detail has, in its order.
struct Elements {
  GA_OffsetList offsets[RV_OWNER_COUNT];   // of every owner, by our index
  std::vector<const GA_Primitive*> prims;  // polygons, curves and VDBs
  std::vector<int32_t> type, nvertex;      // of each primitive: RvPrimType, vertices
  std::vector<int32_t> points;             // of each vertex: index of its point
  GA_Range range(const GU_Detail& g, int owner) const { return GA_Range(g.getIndexMap(OWNERS[owner]), offsets[owner]); }
  GA_Offset at(int owner, size_t i) const { return offsets[owner].get((GA_Size)i); }
  bool vdbs() const { return std::count(type.begin(), type.end(), RV_PRIM_VDB) > 0; }
};

// Lists the elements of a GU_Detail; `vdbs_only`: its VDBs alone.
Elements collect(const GU_Detail& gdp, bool vdbs_only = false) {
  Elements all;
  // primitives of a known type
  for (GA_Index i = 0; i < gdp.getNumPrimitives(); ++i) {
    const GA_Primitive* prim = gdp.getPrimitive(gdp.primitiveOffset(i));
    if (prim_type(prim) < 0 || (vdbs_only && prim_type(prim) != RV_PRIM_VDB)) continue;
    all.prims.push_back(prim);
    all.type.push_back(prim_type(prim));
    all.nvertex.push_back(all.type.back() == RV_PRIM_VDB ? 0 : (int32_t)prim->getVertexCount());
    all.offsets[RV_PRIM].append(gdp.primitiveOffset(i));
  }
  // points: Houdini gives every VDB a point, we do not. Points that only VDBs use get number -1, all others count up.
  std::vector<int32_t> number((size_t)gdp.getNumPoints(), 0);
  for (bool vdbs : {true, false})
    for (size_t i = 0; i < all.prims.size(); ++i)
      for (GA_Size k = 0; k < all.prims[i]->getVertexCount() && vdbs == (all.type[i] == RV_PRIM_VDB); ++k)
        number[(size_t)gdp.pointIndex(all.prims[i]->getPointOffset(k))] = vdbs ? -1 : 0;
  for (size_t i = 0, next = 0; i < number.size() && !vdbs_only; ++i) {
    if (number[i] < 0) continue;
    number[i] = (int32_t)next++;
    all.offsets[RV_POINT].append(gdp.pointOffset((GA_Index)i));
  }
  // vertices, in the order of the primitives
  for (size_t i = 0; i < all.prims.size(); ++i)
    for (GA_Size k = 0; k < all.nvertex[i]; ++k) {
      all.offsets[RV_VERTEX].append(all.prims[i]->getVertexOffset(k));
      all.points.push_back(number[(size_t)gdp.pointIndex(all.prims[i]->getPointOffset(k))]);
    }
  all.offsets[RV_GLOBAL].append(GA_Offset(0));
  return all;
}

// Our storage for an attribute; RV_STORAGE_COUNT: we have none, and it is left out.
RvStorage storage_of(const GA_Attribute* a) {
  if (a->getAIFSharedStringTuple()) return RV_STRING;
  if (!a->getAIFTuple()) return RV_STORAGE_COUNT;
  // a detail always has P as 32-bit floats
  if (a->getOwner() == GA_ATTRIB_POINT && !strcmp(a->getName(), "P")) return RV_F32;
  for (int i = 0; i < RV_STRING; ++i)
    if (STORAGES[i] == a->getAIFTuple()->getStorage(a)) return (RvStorage)i;
  return RV_I32;  // booleans, bytes and 16-bit integers
}

// Our tag for an attribute's type info; GA_TYPE_TRANSFORM is a 3 x 3 or a 4 x 4 matrix by its size.
RvTag tag_of(const GA_Attribute* a) {
  int tag = RV_TAG_COUNT - 1;
  while (tag && TAG_TYPES[tag] != a->getTypeInfo()) --tag;
  return tag == RV_TAG_MATRIX && a->getTupleSize() == 9 ? RV_TAG_MATRIX3 : (RvTag)tag;
}

// Defaults and values of a numeric attribute.
RvResult read_numbers(const GA_Attribute* a, const GA_Range& range, RvAttrib* attrib, RvError* error) {
  const GA_AIFTuple* tuple = a->getAIFTuple();
  std::vector<fpreal64> values((size_t)a->getTupleSize());
  GA_Defaults defaults = tuple->getDefaults(a);
  for (size_t c = 0; c < values.size(); ++c) defaults.get((exint)c, values[c]);
  rv_attrib_set_default_doubles(attrib, values.data());
  values.resize(values.size() * rv_attrib_count(attrib));
  if (values.empty()) return RV_OK;
  // 32-bit floats and 64-bit integers are copied as they are; doubles hold all other storages exactly
  bool floats = rv_attrib_storage(attrib) == RV_F32, wide = rv_attrib_storage(attrib) == RV_I64;
  bool done = floats ? tuple->getRange(a, range, static_cast<fpreal32*>(rv_attrib_write(attrib)))
              : wide ? tuple->getRange(a, range, static_cast<int64*>(rv_attrib_write(attrib)))
                     : tuple->getRange(a, range, values.data());
  if (!done) return rv_fail(error, RV_SHIM, "Houdini returned no values of the attribute %s", a->getName().c_str());
  return floats || wide ? RV_OK : rv_attrib_set_doubles(attrib, values.data(), error);
}

// Adds one attribute of Houdini to the detail.
RvResult read_attrib(const GU_Detail& gdp, const Elements& all, RvOwner owner, const GA_Attribute* a, RvDetail* detail,
                     RvError* error) {
  RvAttrib* attrib = nullptr;
  RvStorage storage = storage_of(a);
  int size = a->getTupleSize();
  RvResult result = rv_detail_add_attrib(detail, owner, a->getName(), storage, size, tag_of(a), &attrib, error);
  if (result) return result;
  if (storage != RV_STRING) return read_numbers(a, all.range(gdp, owner), attrib, error);
  GA_ROHandleS texts(a);
  for (size_t i = 0; i < rv_attrib_count(attrib) && !result; ++i)
    for (int c = 0; c < size && !result; ++c)
      result = rv_attrib_set_string(attrib, i, c, texts.get(all.at(owner, i), c), error);
  return result;
}

// Points, primitives and VDBs. Primitives of one type that follow each other are added at once.
RvResult read_prims(const GU_Detail& gdp, const Elements& all, RvDetail* detail, RvError* error) {
  RvResult result = rv_detail_add_points(detail, (size_t)all.offsets[RV_POINT].entries(), nullptr, error);
  GA_ROHandleS names(gdp.findAttribute(GA_ATTRIB_PRIMITIVE, "name"));
  for (size_t i = 0, end, vertex = 0; i < all.prims.size() && !result; i = end) {
    end = i + 1;
    if (all.type[i] != RV_PRIM_VDB) {
      size_t first = vertex;
      for (end = i; end < all.prims.size() && all.type[end] == all.type[i]; ++end) vertex += (size_t)all.nvertex[end];
      result = rv_detail_add_polygons(detail, (RvPrimType)all.type[i], end - i, &all.nvertex[i],
                                      all.points.data() + first, nullptr, error);
      continue;
    }
    // a VDB
    RvGrid* grid = nullptr;
    UT_StringHolder name = names.isValid() ? UT_StringHolder(names.get(all.at(RV_PRIM, i))) : UT_StringHolder("");
    result = rv_hdk_vdb_read(static_cast<const GEO_PrimVDB*>(all.prims[i]), name, &grid, error);
    if (!result) result = rv_detail_add_vdb(detail, grid, error);
    rv_grid_release(grid);
  }
  return result;
}

// Groups of an owner, as flags of its elements.
RvResult read_groups(const GU_Detail& gdp, const Elements& all, RvOwner owner, RvDetail* detail, RvError* error) {
  for (auto it = gdp.getElementGroupTable(OWNERS[owner]).beginTraverse(); !it.atEnd(); ++it) {
    RvGroup* group = nullptr;
    RvResult result = rv_detail_add_group(detail, owner, it.group()->getName(), &group, error);
    if (result) return result;
    uint8_t* in = rv_group_write(group);
    for (size_t i = 0; i < rv_detail_count(detail, owner); ++i)
      in[i] = it.group()->containsOffset(all.at(owner, i)) ? 1 : 0;
  }
  return RV_OK;
}

// The whole GU_Detail; warns about what a detail cannot hold.
RvResult read_all(const GU_Detail& gdp, const Elements& all, RvDetail* detail, const RvLog* log, RvError* error) {
  RvResult result = read_prims(gdp, all, detail, error);
  for (RvOwner owner : {RV_POINT, RV_VERTEX, RV_PRIM, RV_GLOBAL}) {
    auto it = gdp.getAttributes().getDict(OWNERS[owner]).begin(GA_SCOPE_PUBLIC);
    for (; !it.atEnd() && !result; ++it) {
      const char* name = it.attrib()->getName();
      if (owner == RV_PRIM && all.vdbs() && rv_hdk_vdb_is_metadata(name)) continue;
      if (storage_of(it.attrib()) != RV_STORAGE_COUNT)
        result = read_attrib(gdp, all, owner, it.attrib(), detail, error);
      else
        rv_log(log, RV_LEVEL_WARNING, "attribute %s is neither numeric nor a string and is left out", name);
    }
    if (!result && owner != RV_GLOBAL) result = read_groups(gdp, all, owner, detail, error);
  }
  return result;
}

// The same as a new detail.
RvResult read_new(const GU_Detail& gdp, const Elements& all, RvDetail** out, const RvLog* log, RvError* error) {
  *out = rv_detail_new();
  RvResult result = *out ? read_all(gdp, all, *out, log, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) return RV_OK;
  rv_detail_free(*out);
  *out = nullptr;
  return result;
}

// Geometry with packed, curved or other primitives: Houdini writes what a .bgeo file would hold, and our reader of such
// files unpacks and samples it, so that both hosts get the same bits. Files have no VDBs for us; they are read directly.
RvResult read_saved(const GU_Detail& gdp, RvDetail** out, const RvLog* log, RvError* error) {
  Elements vdbs = collect(gdp, true);
  GU_Detail plain;
  plain.replaceWith(gdp);
  if (vdbs.vdbs()) plain.destroyPrimitives(collect(plain, true).range(plain, RV_PRIM), true);
  std::ostringstream stream(std::ios::binary);
  const GA_SaveOptions* no_options = nullptr;
  if (!plain.save(stream, true, no_options))
    return rv_fail(error, RV_SHIM, "Houdini could not save the geometry to memory; unpack or convert its primitives");
  const std::string bytes = stream.str();
  RvResult result = rv_detail_decode(bytes.data(), bytes.size(), out, log, error);
  RvDetail* grids = nullptr;
  if (!result && vdbs.vdbs()) result = read_new(gdp, vdbs, &grids, log, error);
  if (!result && grids) result = rv_detail_merge(*out, grids, error);
  rv_detail_free(grids);
  if (!result) return RV_OK;
  rv_detail_free(*out);
  *out = nullptr;
  return result;
}

// Replaces the points and primitives of a GU_Detail; attributes and groups follow afterwards.
RvResult build(const RvDetail* detail, GU_Detail& gdp, RvError* error) {
  gdp.clearAndDestroy();
  const int32_t *start = rv_detail_prim_start(detail), *points = rv_detail_vertex_point(detail);
  GA_Size npoint = (GA_Size)rv_detail_count(detail, RV_POINT);
  GA_Offset first = npoint ? gdp.appendPointBlock(npoint) : GA_Offset(0);
  RvResult result = RV_OK;
  for (size_t i = 0, end, nprim = rv_detail_count(detail, RV_PRIM); i < nprim && !result; i = end) {
    RvPrimType type = rv_detail_prim_type(detail, i);
    end = i + 1;
    if (type == RV_PRIM_VDB) {
      result = rv_hdk_vdb_write(rv_detail_prim_grid(detail, i), &gdp, error);
      continue;
    }
    GEO_PolyCounts sizes;
    for (end = i; end < nprim && rv_detail_prim_type(detail, end) == type; ++end)
      sizes.append(start[end + 1] - start[end]);
    GEO_PrimPoly::buildBlock(&gdp, first, npoint, sizes, points + start[i], type == RV_PRIM_POLYGON);
  }
  return result;
}

// A new attribute of Houdini with the storage, size, default and tag of ours.
GA_Attribute* add_attrib(GU_Detail& gdp, int owner, const RvAttrib* attrib) {
  int size = rv_attrib_size(attrib);
  std::vector<fpreal64> standard((size_t)size);
  rv_attrib_get_default(attrib, standard.data());
  bool text = rv_attrib_storage(attrib) == RV_STRING;
  GA_Attribute* a = text ? gdp.addStringTuple(OWNERS[owner], rv_attrib_name(attrib), size)
                         : gdp.addTuple(STORAGES[rv_attrib_storage(attrib)], OWNERS[owner], rv_attrib_name(attrib),
                                        size, GA_Defaults(standard.data(), size));
  if (a) a->setTypeInfo(TAG_TYPES[rv_attrib_tag(attrib)]);
  return a;
}

// Copies the values of an attribute to Houdini. False: Houdini refused them.
bool set_values(const GA_Range& range, const Elements& all, int owner, const RvAttrib* attrib, GA_Attribute* a) {
  size_t n = rv_attrib_count(attrib), size = (size_t)rv_attrib_size(attrib);
  const void* values = rv_attrib_read(attrib);
  const GA_AIFTuple* tuple = a->getAIFTuple();
  if (!n) return true;
  if (rv_attrib_storage(attrib) == RV_F32) return tuple->setRange(a, range, static_cast<const fpreal32*>(values));
  if (rv_attrib_storage(attrib) == RV_I64) return tuple->setRange(a, range, static_cast<const int64*>(values));
  // all other numbers as doubles, then strings one by one
  std::vector<fpreal64> wide(n * size);
  rv_attrib_get_doubles(attrib, wide.data());
  if (rv_attrib_storage(attrib) != RV_STRING) return tuple->setRange(a, range, wide.data());
  GA_RWHandleS texts(a);
  for (size_t i = 0; i < n * size; ++i)
    texts.set(all.at(owner, i / size), (int)(i % size), rv_attrib_string(attrib, i / size, (int)(i % size)));
  return true;
}

// Makes the attributes of an owner equal to the detail's. `old` is the content of gdp, NULL when it was built anew:
// what is equal there stays untouched.
RvResult write_attribs(const RvDetail* detail, const RvDetail* old, GU_Detail& gdp, const Elements& all, RvOwner owner,
                       RvError* error) {
  // attributes that the detail does not have
  for (size_t i = 0; old && i < rv_detail_attrib_count(old, owner); ++i) {
    const char* name = rv_attrib_name(rv_detail_attrib(old, owner, i));
    if (!rv_detail_find(detail, owner, name)) gdp.destroyAttribute(OWNERS[owner], name);
  }
  // new and changed ones
  for (size_t i = 0; i < rv_detail_attrib_count(detail, owner); ++i) {
    const RvAttrib* attrib = rv_detail_attrib(detail, owner, i);
    const RvAttrib* before = old ? rv_detail_find(old, owner, rv_attrib_name(attrib)) : nullptr;
    if (before && rv_attrib_equal(before, attrib)) continue;
    GA_Attribute* a = gdp.findAttribute(OWNERS[owner], rv_attrib_name(attrib));
    // the attribute may exist although `old` lacks it: P, and the names of VDBs
    if (!a || (before && !rv_attrib_same_kind(before, attrib)) || storage_of(a) != rv_attrib_storage(attrib)) {
      if (a) gdp.destroyAttribute(OWNERS[owner], rv_attrib_name(attrib));
      a = add_attrib(gdp, owner, attrib);
    }
    if (!a || !set_values(all.range(gdp, owner), all, owner, attrib, a))
      return rv_fail(error, RV_SHIM, "Houdini refused the attribute %s", rv_attrib_name(attrib));
    a->bumpDataId();
  }
  return RV_OK;
}

// The same for the groups of an owner.
void write_groups(const RvDetail* detail, const RvDetail* old, GU_Detail& gdp, const Elements& all, RvOwner owner) {
  size_t n = rv_detail_count(detail, owner);
  // groups that changed or that the detail does not have
  for (size_t k = 0; old && k < rv_detail_group_count(old, owner); ++k) {
    const RvGroup* before = rv_detail_group(old, owner, k);
    const RvGroup* after = rv_detail_find_group(detail, owner, rv_group_name(before));
    if (!after || (n && memcmp(rv_group_read(before), rv_group_read(after), n)))
      gdp.destroyElementGroup(OWNERS[owner], rv_group_name(before));
  }
  // groups that Houdini lacks now
  for (size_t k = 0; k < rv_detail_group_count(detail, owner); ++k) {
    const RvGroup* group = rv_detail_group(detail, owner, k);
    if (gdp.findElementGroup(OWNERS[owner], rv_group_name(group))) continue;
    GA_ElementGroup* made = gdp.newElementGroup(OWNERS[owner], rv_group_name(group));
    for (size_t i = 0; i < n; ++i)
      if (rv_group_read(group)[i]) made->addOffset(all.at(owner, i));
    made->bumpDataId();
  }
}

}  // namespace

RvResult rv_hdk_geo_read(const void* handle, RvDetail** out, const RvLog* log, RvError* error) {
  *out = nullptr;
  RV_HDK_BEGIN
  const GU_Detail& gdp = *static_cast<const GU_Detail*>(handle);
  Elements all = collect(gdp);
  bool known = all.prims.size() == (size_t)gdp.getNumPrimitives();
  return known ? read_new(gdp, all, out, log, error) : read_saved(gdp, out, log, error);
  RV_HDK_END(error)
}

RvResult rv_hdk_geo_write(const RvDetail* detail, void* handle, RvError* error) {
  RV_HDK_BEGIN
  // the present content, to find what differs
  GU_Detail& gdp = *static_cast<GU_Detail*>(handle);
  RvDetail* old = nullptr;
  Elements present = collect(gdp);
  RvResult result = read_new(gdp, present, &old, nullptr, error);
  // points and primitives are rebuilt only if the topology differs
  bool fresh = !result && !(rv_detail_same_topology(old, detail) &&
                            present.prims.size() == (size_t)gdp.getNumPrimitives());
  if (fresh) {
    rv_detail_free(old);
    old = nullptr;
    result = build(detail, gdp, error);
  }
  // attributes and groups that differ
  Elements all = collect(gdp);
  for (RvOwner owner : {RV_POINT, RV_VERTEX, RV_PRIM, RV_GLOBAL}) {
    if (!result) result = write_attribs(detail, old, gdp, all, owner, error);
    if (!result && owner != RV_GLOBAL) write_groups(detail, old, gdp, all, owner);
  }
  // after an error Houdini gets nothing rather than a half-written detail
  if (result) gdp.clearAndDestroy();
  if (fresh || result) gdp.bumpDataIdsForAddOrRemove(true, true, true);
  rv_detail_free(old);
  return result;
  RV_HDK_END(error)
}
