// Blind fuzzing, for builds without libFuzzer: inputs of the corpus are changed at random, without knowledge of what
// the program does with them. It finds less for the same time, and runs with every compiler and in every build.
#ifndef RV_FUZZ_BLIND_H
#define RV_FUZZ_BLIND_H

#include <stddef.h>
#include <stdint.h>

// Keeps a copy of an input to change. False: out of memory.
int blind_add(const uint8_t* data, size_t size);
// Runs changed inputs for some seconds of CPU time; the number of inputs. One that ends the process by a signal is left
// in the file `crash.<seed>`.
unsigned long blind_run(double seconds, unsigned seed);

#endif
