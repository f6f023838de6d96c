// Clocks, for reports only: no result may depend on them.
#ifndef RV_BASE_TIMER_H
#define RV_BASE_TIMER_H

double rv_clock_wall(void);  // seconds since some moment
double rv_clock_cpu(void);   // seconds of CPU of the whole process, all threads

#endif
