#include "couple/couple.h"
#include "film/film.h"
#include <stdlib.h>
bool rv_film_state_init(RvFilmState* s, const RvFilmModel* m){ (void)s;(void)m; return true;}
void rv_film_state_free(RvFilmState* s){(void)s;}
double rv_film_height(double a,double r){(void)a;(void)r;return 0;}
double rv_film_area(double a,double r){(void)a;(void)r;return 0;}
void rv_film_areas(const RvFilmModel* m,const RvFilmState* s,const double* x,double* a){(void)m;(void)s;(void)x;(void)a;}
void rv_film_volumes(const RvFilmModel* m,const RvFilmState* s,double* f,double* a){(void)m;(void)s;*f=*a=0;}
void rv_film_load(const RvFilmModel* model, const RvFilmState* state, const RvFilmStepDef* def, double* load,double* slide, double* turn, double* force){(void)model;(void)state;(void)def;(void)load;(void)slide;(void)turn;(void)force;}
RvResult rv_film_step(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, double* kick,RvFilmReport* report, RvError* error){(void)model;(void)state;(void)def;(void)kick;(void)report;(void)error;return RV_OK;}
void rv_film_dry(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, RvFilmReport* report){(void)model;(void)state;(void)def;(void)report;}
RvResult rv_film_across(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def,const RvFilmBridge* bridges, size_t count, double* kick, RvError* error){(void)model;(void)state;(void)def;(void)bridges;(void)count;(void)kick;(void)error;return RV_OK;}
RvCouple* rv_couple_new(void){return malloc(1);} void rv_couple_free(RvCouple* c){free(c);}
double rv_capacity_radius(double a,double b,double c,double d,double e){(void)a;(void)b;(void)c;(void)d;(void)e;return 1e-3;}
RvResult rv_couple_capture(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,const RvLiquidGrid* grid_space, RvParticles* particles, double dt, const double* wet,double* kick, RvCoupleReport* report, RvError* error){(void)couple;(void)strands;(void)settings;(void)grid_space;(void)particles;(void)dt;(void)wet;(void)kick;(void)report;(void)error;return RV_OK;}
RvResult rv_couple_drip(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,const RvLiquidGrid* grid_space, RvParticles* particles, int64_t* next_id, int32_t row, double dt,uint64_t random, double* kick, RvCoupleReport* report, RvError* error){(void)couple;(void)strands;(void)settings;(void)grid_space;(void)particles;(void)next_id;(void)row;(void)dt;(void)random;(void)kick;(void)report;(void)error;return RV_OK;}
RvResult rv_couple_sample(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,const RvLiquidGrid* grid, double dt, double* force, const RvCoupleSample** out, RvError* error){(void)couple;(void)strands;(void)settings;(void)grid;(void)dt;(void)force;(void)error;*out=NULL;return RV_OK;}
RvResult rv_couple_react(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,const double*i,RvLiquidGrid* grid, double dt, RvError* error){(void)couple;(void)strands;(void)settings;(void)i;(void)grid;(void)dt;(void)error;return RV_OK;}
RvResult rv_couple_pressure(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,const RvLiquidGrid* grid, double dt, double* force, double* kick, RvError* error){(void)couple;(void)strands;(void)settings;(void)grid;(void)dt;(void)force;(void)kick;(void)error;return RV_OK;}
