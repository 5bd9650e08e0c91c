// exact.h -- mathematical functions that give the same bits on every machine.
//
// They use only IEEE's exact operations. Two libraries' exp() may differ in the last bit, and a
// number that is rounded from it would then differ by one.
#pragma once

// e^-x for x >= 0. Its relative error is below 1e-11.
double exact_exp_minus(double x);
