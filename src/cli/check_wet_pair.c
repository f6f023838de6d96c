// placeholder
typedef int RvWetPairUnused;
