// Factors of the band of elastic rods with their entries below the diagonal rounded to floats. Solves with many
// matrices in turn are bound by memory, and a rounded factor has 0.55 of the bytes.
//
// With A = L D L^T and L rounded to L', the matrix L' D L'^T is positive definite as well. In units in which a part S
// of A (A - S positive semidefinite), such as inertia, is the identity, it differs from A by at most some
// 2 RV_ROUNDING sqrt(largest entry of D): the error of a soft motion grows with the root of the ratio of stiffnesses
// only, as the motion meets the rounding of L once, with L^T v near 0.
#ifndef RV_MATH_LDLT_ROUNDED_H
#define RV_MATH_LDLT_ROUNDED_H

#include "math/ldlt.h"

enum { RV_BAND_ROUNDED = 10 };  // subdiagonals of these matrices

#define RV_ROUNDING 6e-8  // of a float, relative

// Rounds a factor of rv_ldlt_factor; n > RV_BAND_ROUNDED unknowns. `rounded` may be `a`.
void rv_ldlt_round(const double* a, int n, double* rounded);
// Solves A x = b in place with the rounded factor.
void rv_ldlt_solve_rounded(const double* a, int n, double* x);

#endif
