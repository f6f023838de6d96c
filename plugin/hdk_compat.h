// The forms of the HDK that differ between Houdini 19.5 and 21, each under one name of ours. The forms are told apart by the
// headers that an HDK has, as no public page gives the version in which each one changed.
#pragma once

#ifdef __cplusplus
#include <SOP/SOP_NodeVerb.h>

// The graph in which parameters are evaluated. Older HDKs have it for SOPs only.
#if __has_include(<OP/OP_GraphProxy.h>)
#include <OP/OP_GraphProxy.h>
typedef OP_GraphProxy RvHdkGraph;
#else
#include <SOP/SOP_GraphProxy.h>
typedef SOP_GraphProxy RvHdkGraph;
#endif

// Where SOPdirectGraphProxy is declared: the graph of the nodes themselves, whose indices are their unique ids.
#if __has_include(<SOP/SOP_GraphProxy.h>)
#include <SOP/SOP_GraphProxy.h>
#else
#include <SOP/SOP_GraphProxyGeo.h>
#endif

// The base class of all parameter structures, which copyFrom takes.
#if __has_include(<OP/OP_NodeParms.h>)
#include <OP/OP_NodeParms.h>
typedef OP_NodeParms RvHdkNodeParms;
#else
typedef SOP_NodeParms RvHdkNodeParms;
#endif
#endif
