#include "base/exact.h"

// x is halved until ten terms of the series give every bit that counts, and the result is squared
// as often.
double exact_exp_minus(double x)
{
    int halvings = 0;
    if (x > 745) return 0;  // below the smallest double
    for (; x > 0.125; x /= 2) halvings++;
    double sum = 1, term = 1;
    for (int i = 1; i <= 10; i++) sum += term *= -x / i;
    while (halvings-- > 0) sum *= sum;
    return sum;
}
