// lane_expr.h -- C's arithmetic on the number of a lane, "(l&7)+8*(l>>4)", as patterns-h200.csv
// writes it. filter/expr.h has neither bits nor comparisons.
#ifndef LANE_EXPR_H
#define LANE_EXPR_H

// The value for a lane, of the text up to its end or to a ';'. The text is trusted.
long long lane_expr(const char *text, int lane);

#endif
