// The far-field scattering of a fibre: see chiang.h.
#include "view/chiang.h"

#include <math.h>

#include "math/scalar.h"

enum { OFFSETS = 32, STEPS_A_TURN = 2 };  // quadrature of the table: offsets across the fibre, steps a bin of azimuth

static const double LEAST_ROUGHNESS = 0.02;  // narrower lobes cannot be sampled by a picture's few rays
static const double LEAST_COSINE = 1e-4;
static const double WATER_INDEX = 1.333;
// Reflecting area of a film over that of its fibre: it also bridges the gaps to the next fibres, 1.2 diameters apart,
// and lies flatter there. Of light from the eye's side it reflects 0.028 then, less than the 0.034 of dry scales.
static const double FILM_SPREAD = 1.55;
static const double INNER_REFLECTANCE = 0.49;  // of a water surface for diffuse light from inside
static const double LEAST_CHANCE = 1e-4;
static const double DARKEST_FALLOFF = -25;  // exponent of a lobe below which it sends nothing: 1e-11 of its peak
static const double FORWARD_SCALE = 0.45;   // of the logistic azimuths by which TT is sampled

//---------------------------------------------------------------------------------------------- parts of the model

// Longitudinal variance by roughness: the paper's fit, linear to the eye.
static double variance_of(double roughness) {
  double b = fmax(roughness, LEAST_ROUGHNESS);
  double root = 0.726 * b + 0.812 * b * b + (b > 0.5 ? 3.7 * pow(b, 20) : 0);
  return root * root;
}

// Scale of the azimuthal logistic distribution by roughness; sqrt(pi / 8) turns a deviation into a scale.
static double scale_of(double roughness) {
  double b = fmax(roughness, LEAST_ROUGHNESS);
  return 0.626657069 * (0.265 * b + 1.194 * b * b + 5.372 * pow(b, 22));
}

// exp(-x) I0(x), by the polynomials of Abramowitz and Stegun 9.8.1 and 9.8.2.
static double scaled_bessel(double x) {
  if (x < 3.75) {
    double t = x / 3.75, q = t * t;
    double sum = 0.0360768 + q * 0.0045813;
    sum = 1 + q * (3.5156229 + q * (3.0899424 + q * (1.2067492 + q * (0.2659732 + q * sum))));
    return sum * exp(-x);
  }
  double t = 3.75 / x;
  double sum = 0.02635537 + t * (-0.01647633 + t * 0.00392377);
  sum = 0.00225319 + t * (-0.00157565 + t * (0.00916281 + t * (-0.02057706 + t * sum)));
  return (0.39894228 + t * (0.01328592 + t * sum)) / sqrt(x);
}

// Longitudinal part (d'Eon et al. 2011): normalised over the sphere. peak: 1 / variance, norm: peak / (1 - exp(-2
// peak)).
static double longitudinal(double sin_l, double cos_l, double sin_e, double cos_e, double peak, double norm) {
  double a = cos_l * cos_e * peak, falloff = a - sin_l * sin_e * peak - peak;
  return falloff > DARKEST_FALLOFF ? scaled_bessel(a) * exp(falloff) * norm : 0;
}

// Logistic distribution function.
static double logistic_below(double x, double scale) {
  return 1 / (1 + exp(-x / scale));
}

// Share of a logistic distribution within half a turn on both sides.
static double logistic_whole(double scale) {
  return logistic_below(RV_PI, scale) - logistic_below(-RV_PI, scale);
}

// Logistic density, cut to half a turn on both sides and normalised there; whole: logistic_whole.
static double cut_logistic(double x, double scale, double whole) {
  double e = exp(-fabs(x) / scale);
  return e / (scale * (1 + e) * (1 + e) * whole);
}

// Angle within half a turn of 0.
static double wrapped(double angle) {
  return angle - 2 * RV_PI * floor(angle / (2 * RV_PI) + 0.5);
}

// Fresnel reflectance for unpolarised light; index: of the far side over that of the near side, 1 or more.
static double fresnel(double cosine, double index) {
  double sine2 = (1 - cosine * cosine) / (index * index);
  double inside = sqrt(fmax(1 - sine2, 0));
  double along = (index * cosine - inside) / (index * cosine + inside);
  double across = (cosine - index * inside) / (cosine + index * inside);
  return 0.5 * (along * along + across * across);
}

//---------------------------------------------------------------------------------------------- table

// Reflectance of the surface of a fibre. Under a film the scales hardly reflect: water nearly has the index of the
// fibre.
static double reflectance(int medium, double index, double cosine) {
  double inner = fresnel(cosine, fmax(index / WATER_INDEX, 1));
  if (medium == RV_FIBRE_DRY) return fresnel(cosine, index);
  if (medium == RV_FIBRE_SUNK) return inner;
  double outer = fmin(FILM_SPREAD * fresnel(cosine, WATER_INDEX), 1);
  return 1 - (1 - outer) * (1 - inner);
}

// Shares of the passes by the reflectance of the walls; their sum is 1.
static void passes(double f, double share[RV_FIBRE_LOBES]) {
  share[RV_FIBRE_R] = f;
  share[RV_FIBRE_TT] = (1 - f) * (1 - f);
  share[RV_FIBRE_TRT] = share[RV_FIBRE_TT] * f;
  share[RV_FIBRE_REST] = (1 - f) * f * f;
}

// Spreads light over the azimuths about the direction in which a smooth fibre would send it.
static void spread_turn(float* turn, double middle, double scale) {
  double whole = logistic_whole(scale);
  for (int k = 0; k < RV_FIBRE_TURNS; ++k) {
    double sum = 0;
    for (int i = 0; i < STEPS_A_TURN; ++i) {
      double phi = RV_PI * (k + (i + 0.5) / STEPS_A_TURN) / RV_FIBRE_TURNS;
      // Both sides of the fibre: the mean over its width is even in the azimuth.
      sum +=
          0.5 * (cut_logistic(wrapped(phi - middle), scale, whole) + cut_logistic(wrapped(phi + middle), scale, whole));
    }
    turn[k] = (float)(sum / STEPS_A_TURN);
  }
}

// Adds the light of one offset across the fibre to a row.
static void add_offset(RvFibreTable* t, int row, double sin_eye, double cos_eye, double h, double scale) {
  for (int medium = 0; medium < RV_FIBRE_MEDIA; ++medium) {
    double index = medium == RV_FIBRE_SUNK ? fmax(t->index / WATER_INDEX, 1.001) : t->index;
    double bent = sqrt(fmax(index * index - sin_eye * sin_eye, 0)) / cos_eye;
    double gamma = asin(h), gamma_in = asin(rv_clamp(h / bent, -1, 1)), share[RV_FIBRE_LOBES];
    if (medium == RV_FIBRE_DRY) t->path[row] += (float)(2 * cos(gamma_in) / OFFSETS);
    passes(reflectance(medium, t->index, cos_eye * cos(gamma)), share);
    for (int p = 0; p < RV_FIBRE_LOBES; ++p) {
      double middle = wrapped(2 * p * gamma_in - 2 * gamma + p * RV_PI), part = share[p] / OFFSETS;
      t->share[medium][p][row] += (float)part;
      if (p == RV_FIBRE_REST) {
        t->back[medium][p][row] += (float)(0.5 * part);
        continue;
      }
      float turn[RV_FIBRE_TURNS];
      spread_turn(turn, middle, scale);
      double sum = 0, back = 0;
      for (int k = 0; k < RV_FIBRE_TURNS; ++k) {
        sum += turn[k];
        if (k < RV_FIBRE_TURNS / 2) back += turn[k];
      }
      t->back[medium][p][row] += (float)(part * back / sum);
      // The quadrature is normalised, so that no light is made or lost.
      double whole = part * RV_FIBRE_TURNS / (2 * RV_PI * sum);
      for (int k = 0; k < RV_FIBRE_TURNS && medium < RV_FIBRE_SUNK; ++k)
        t->turn[medium][p][row][k] += (float)(whole * turn[k]);
    }
  }
}

void rv_view_fibre_table(RvFibreTable* table, double index, double around) {
  *table = (RvFibreTable){.index = index, .around = around, .forward_whole = logistic_whole(FORWARD_SCALE)};
  double scale = scale_of(around);
  for (int row = 0; row < RV_FIBRE_ANGLES; ++row) {
    double cosine = (row + 0.5) / RV_FIBRE_ANGLES, sine = sqrt(1 - cosine * cosine);
    // The fibre is even: half of its width stands for all.
    for (int i = 0; i < OFFSETS; ++i) add_offset(table, row, sine, cosine, (i + 0.5) / OFFSETS, scale);
  }
}

// Value of a column of the table at the fibre's inclination.
static double column(const RvFibre* f, const float* values) {
  return values[f->row] * (1 - f->between) + values[f->row + 1] * f->between;
}

//---------------------------------------------------------------------------------------------- set-up

// Turns the eye's inclination by the tilt of a lobe: R by twice the tilt, TT by half and TRT by four times the tilt
// back.
static void tilt_eye(RvFibre* f, double tilt) {
  const double turn[RV_FIBRE_CONES] = {2 * tilt, 0, -tilt, -4 * tilt, 0};
  for (int i = 0; i < RV_FIBRE_CONES; ++i) {
    // Tilts are a few degrees: two terms of the series are exact to 1e-4.
    double s = turn[i] - turn[i] * turn[i] * turn[i] / 6, c = sqrt(1 - s * s);
    f->sin_cone[i] = f->sin_eye * c - f->cos_eye * s;
    f->cos_cone[i] = fabs(f->cos_eye * c + f->sin_eye * s);
  }
}

// Chances of the longitudinal parts: by the light that they carry.
static void choose_chances(RvFibre* f) {
  double mean[RV_FIBRE_LOBES], sum = 0;
  for (int p = 0; p < RV_FIBRE_LOBES; ++p) {
    double dry = column(f, f->table->share[RV_FIBRE_DRY][p]), film = column(f, f->table->share[RV_FIBRE_FILM][p]);
    double through = (f->through[p].x + f->through[p].y + f->through[p].z) / 3;
    mean[p] = through * (dry * (1 - f->wet) + film * f->wet);
    if (p == RV_FIBRE_R) {
      f->chance[0] = dry * (1 - f->wet);
      f->chance[1] = film * f->wet;
    } else {
      f->chance[p + 1] = mean[p];
    }
    sum += mean[p];
  }
  for (int i = 0; i < RV_FIBRE_CONES; ++i) f->chance[i] /= sum;
}

// Transmittance of a pass in a pile whose gaps hold water: its surface reflects part of the light back inside, which
// then passes again (Lekner and Dorf 1988, "Why some things are darker when wet"). White hair stays white.
static double kept(double through, double sunk) {
  double wet = (1 - INNER_REFLECTANCE) * through / (1 - INNER_REFLECTANCE * through);
  return through + sunk * (wet - through);
}

RvFibre rv_view_fibre(const RvFibreTable* table, const RvFibreLook* look, RvVec3 tangent, RvVec3 view) {
  RvFibre f = {.table = table, .tangent = tangent, .wet = look->wet, .sunk = look->sunk};
  // Frame: x across the fibre towards the eye.
  f.sin_eye = rv_clamp(rv_dot(tangent, view), -1, 1);
  f.cos_eye = sqrt(fmax(1 - f.sin_eye * f.sin_eye, LEAST_COSINE * LEAST_COSINE));
  f.x = rv_normalize(rv_mad(view, -f.sin_eye, tangent), rv_perpendicular(tangent));
  f.y = rv_cross(tangent, f.x);
  // Row of the table.
  double row = rv_clamp(f.cos_eye * RV_FIBRE_ANGLES - 0.5, 0, RV_FIBRE_ANGLES - 1.001);
  f.row = (int)row;
  f.between = row - f.row;
  // Attenuation of the passes over the mean path; the rest passes at least three times.
  double sin_in = f.sin_eye / table->index, length = column(&f, table->path) / sqrt(1 - sin_in * sin_in);
  RvVec3 a = look->absorption;
  RvVec3 once = rv_vec3(exp(-a.x * length), exp(-a.y * length), exp(-a.z * length));
  once = rv_vec3(kept(once.x, f.sunk), kept(once.y, f.sunk), kept(once.z, f.sunk));
  f.through[RV_FIBRE_R] = rv_vec3(1, 1, 1);
  for (int p = RV_FIBRE_TT; p < RV_FIBRE_LOBES; ++p) f.through[p] = rv_mul(f.through[p - 1], once);
  // Widths, tilts and chances.
  double v = variance_of(look->along);
  const double variances[RV_FIBRE_CONES] = {v, variance_of(fmin(look->film_along, look->along)), 0.25 * v, 4 * v,
                                            4 * v};
  for (int i = 0; i < RV_FIBRE_CONES; ++i) {
    f.variance[i] = variances[i];
    f.peak[i] = 1 / variances[i];
    // Of narrow lobes the exponential is below the precision of a double.
    f.norm[i] = f.peak[i] > 20 ? f.peak[i] : f.peak[i] / (1 - exp(-2 * f.peak[i]));
  }
  tilt_eye(&f, look->tilt);
  choose_chances(&f);
  return f;
}

void rv_view_fibre_shares(const RvFibre* f, RvVec3* forward, RvVec3* back) {
  double sunk = f->sunk;
  *forward = rv_vec3(0, 0, 0);
  *back = rv_vec3(0, 0, 0);
  const RvFibreTable* t = f->table;
  for (int p = 0; p < RV_FIBRE_LOBES; ++p) {
    double whole = column(f, t->share[RV_FIBRE_DRY][p]), behind = column(f, t->back[RV_FIBRE_DRY][p]);
    if (sunk > 0) {
      whole += sunk * (column(f, t->share[RV_FIBRE_SUNK][p]) - whole);
      behind += sunk * (column(f, t->back[RV_FIBRE_SUNK][p]) - behind);
    }
    *back = rv_mad(*back, behind, f->through[p]);
    *forward = rv_mad(*forward, whole - behind, f->through[p]);
  }
}

//---------------------------------------------------------------------------------------------- scattering

// Density of an azimuth from the table, at both rows about the fibre's inclination.
static double azimuthal(const RvFibre* f, int medium, int lobe, int k, double u) {
  const float *a = f->table->turn[medium][lobe][f->row], *b = f->table->turn[medium][lobe][f->row + 1];
  double lo = a[k] * (1 - f->between) + b[k] * f->between;
  double hi = a[k + 1] * (1 - f->between) + b[k + 1] * f->between;
  return lo + (hi - lo) * u;
}

// Densities by which azimuths are sampled: R and TRT as off a mirror cylinder, TT forward, the rest evenly.
static double azimuth_density(const RvFibre* f, int cone, double phi, double cosine) {
  if (cone == 2) return cut_logistic(RV_PI - phi, FORWARD_SCALE, f->table->forward_whole);
  return cone == 4 ? 1 / (2 * RV_PI) : 0.25 * sqrt(0.5 * (1 + cosine));
}

// Arc cosine, accurate to 7e-5 (Abramowitz and Stegun 4.4.45): a thousandth of a step of the table.
static double arc_cosine(double x) {
  double a = fabs(x);
  double angle = sqrt(1 - a) * (1.5707288 + a * (-0.2121144 + a * (0.0742610 - a * 0.0187293)));
  return x < 0 ? RV_PI - angle : angle;
}

RvVec3 rv_view_fibre_scatter(const RvFibre* f, RvVec3 light, double* density) {
  double sin_l = rv_clamp(rv_dot(f->tangent, light), -1, 1);
  double cos_l = sqrt(fmax(1 - sin_l * sin_l, LEAST_COSINE * LEAST_COSINE));
  double cosine = rv_clamp(rv_dot(light, f->x) / cos_l, -1, 1), phi = arc_cosine(cosine);
  double at = rv_clamp(phi / RV_PI * RV_FIBRE_TURNS - 0.5, 0, RV_FIBRE_TURNS - 1.001);
  int k = (int)at;
  double m[RV_FIBRE_CONES];
  *density = 0;
  for (int i = 0; i < RV_FIBRE_CONES; ++i) {
    m[i] = 0;
    if (!(f->chance[i] > LEAST_CHANCE)) continue;
    m[i] = longitudinal(sin_l, cos_l, f->sin_cone[i], f->cos_cone[i], f->peak[i], f->norm[i]);
    if (m[i] > 0) *density += f->chance[i] * m[i] * azimuth_density(f, i, phi, cosine);
  }
  // R off the scales and off the film, then the passes through the fibre.
  double dry = 1 - f->wet, film = f->wet;
  double r = m[0] * dry * azimuthal(f, RV_FIBRE_DRY, RV_FIBRE_R, k, at - k);
  if (film > 0) r += m[1] * film * azimuthal(f, RV_FIBRE_FILM, RV_FIBRE_R, k, at - k);
  RvVec3 sum = {r, r, r};
  for (int p = RV_FIBRE_TT; p < RV_FIBRE_LOBES; ++p) {
    double n;
    if (p == RV_FIBRE_REST) {
      n = dry * column(f, f->table->share[RV_FIBRE_DRY][p]) + film * column(f, f->table->share[RV_FIBRE_FILM][p]);
      n /= 2 * RV_PI;
    } else {
      n = dry * azimuthal(f, RV_FIBRE_DRY, p, k, at - k);
      if (film > 0) n += film * azimuthal(f, RV_FIBRE_FILM, p, k, at - k);
    }
    sum = rv_mad(sum, m[p + 1] * n, f->through[p]);
  }
  return sum;
}

RvVec3 rv_view_fibre_sample(const RvFibre* f, const double lobe[2], const double angle[2]) {
  // Choose the part.
  int i = 0;
  double u = lobe[0];
  for (; i < RV_FIBRE_CONES - 1 && u >= f->chance[i]; ++i) u -= f->chance[i];
  // Inclination (d'Eon et al. 2013, "Importance sampling for physically-based hair fiber models").
  double v = f->variance[i];
  double cosine = 1 + v * log(fmax(angle[0] + (1 - angle[0]) * exp(-2 / v), 1e-300));
  double sine = sqrt(fmax(1 - cosine * cosine, 0));
  double sin_l = rv_clamp(-cosine * f->sin_cone[i] + sine * cos(2 * RV_PI * angle[1]) * f->cos_cone[i], -1, 1);
  double cos_l = sqrt(fmax(1 - sin_l * sin_l, 0));
  // Azimuth: the inverse of its distribution.
  double phi = 2 * RV_PI * lobe[1];
  if (i == 2) {
    double low = logistic_below(-RV_PI, FORWARD_SCALE), high = logistic_below(RV_PI, FORWARD_SCALE);
    double x = low + lobe[1] * (high - low);
    phi = RV_PI - FORWARD_SCALE * log(1 / x - 1);
  } else if (i != 4) {
    phi = 2 * asin(2 * lobe[1] - 1);
  }
  return rv_mad(rv_mad(rv_scale(f->tangent, sin_l), cos_l * cos(phi), f->x), cos_l * sin(phi), f->y);
}
