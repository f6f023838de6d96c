// Clocks for reports. No result may depend on them.
#ifndef RV_BASE_TIMER_H
#define RV_BASE_TIMER_H

// Wall clock in seconds since an arbitrary time; it never goes backwards.
double rv_clock_wall(void);
// CPU time of the process in seconds, all threads together.
double rv_clock_cpu(void);

#endif
