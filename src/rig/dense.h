// Dense symmetric elimination, the reference for the sparse and iterative solvers.
#ifndef RV_RIG_DENSE_H
#define RV_RIG_DENSE_H

#include <stdbool.h>
#include <stddef.h>

// x becomes a^-1 x; a [n][n], its lower half is read and destroyed. False if a is not positive definite.
bool rv_rig_dense_solve(size_t n, double* a, double* x);

#endif
