#include "pictures.h"
#include "canvas.h"
void make_chart(struct view to){ struct canvas c; canvas_init(&c,to.width,to.height,(struct colour){.5f,.5f,.5f}); canvas_finish(&c,to);}
