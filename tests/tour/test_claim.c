// test_claim -- reading claims, and judging them by values of our own.
#include "unit.h"

#include "filters.h"
#include "tour/claim.h"

TEST(mistakes_are_refused)
{
    static const struct {
        const char *text, *message;
    } mistakes[] = {
        {"", "a claim is A < B: SENTENCE, where A and B are figures in braces or numbers; '' is"},
        {"ms < 3: x", "a claim is A < B: SENTENCE, where A and B are figures in braces or numbers"},
        {"{ms}", "a claim has <, <=, =, >=, > or ≈ between its figures, not ''"},
        {"{ms} 3: x", "a claim has <, <=, =, >=, > or ≈ between its figures, not '3: x'"},
        {"{ms} is\r < 3: x", "a claim has <, <=, =, >=, > or ≈ between its figures, not 'is\r <"},
        {"{ms} < {ms", "a brace has no partner"},
        {"{ms} < {shard}: x", "there is no figure {shard}"},
        {"{ms:shard} < 3: x", "no filter has a variant 'shard'; did you mean 'shared'?"},
        {"{device} = 3: x", "{device} is no number"},
        {"3 < 4: x", "a claim has a figure in braces on one side at least"},
        {"{ms} < inf: x", "a claim is A < B: SENTENCE"},
        {"{ms} < 1.2.3: x", "a claim is A < B: SENTENCE"},
        {"{ms} < 3", "a claim ends with a colon and its sentence"},
        {"{ms} < 3 within 5 %: x", "a claim ends with a colon and its sentence"},
        {"{ms} ≈ 3 within %: x", "within what?"},
        {"{ms} ≈ 3 within 5: x", "within what?"},
        {"{ms} < 3:  ", "a claim ends with a colon and its sentence"},
        {"{ms} < 3: {speed}", "there is no figure {speed}"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        struct claim c = {.percent = 77};
        assert_false(claim_read(&c, mistakes[i].text, &filters, &err));
        if (!g_str_has_prefix(err.text, mistakes[i].message))
            fail_msg("%s: not '%s' but '%s'", mistakes[i].text, mistakes[i].message, err.text);
        assert_true(c.percent == 77);
    }
    struct claim c;
    g_autofree char *digits = g_strnfill(20000, '1');
    g_autofree char *text = g_strdup_printf("%s..{ms} < 3: x", digits);
    assert_false(claim_read(&c, text, &filters, &err));
    assert_true(g_str_has_prefix(err.text, "a claim is A < B: SENTENCE"));
}

// By the variant's name: how long it takes, in quartiles. Counters are 32, but conflicts 0, and
// words a request 1.
static struct tour_value find_figure(void *user, const struct tour_figure *f)
{
    static const struct {
        const char *variant;
        double low, number, high;
    } times[] = {{"naive", 1.35, 1.4, 1.45},
                 {"texture", 1.38, 1.42, 1.5},
                 {"shared", 0.4, 0.412, 0.42},
                 {"separable", 0.1, 0.1, 0.1}};
    struct tour_value v = {.known = TOUR_KNOWN};
    if (f->kind == TOUR_COUNTER) {
        v.number = f->counter == TOUR_CONFLICTS ? 0 : f->counter == TOUR_WORDS_A_REQUEST ? 1 : 32;
        v.low = v.high = v.number;
        if (f->counter == TOUR_SECTORS) v.each = " per pixel";
        g_snprintf(v.text, sizeof v.text, "%g", v.number);
        return v;
    }
    if (f->kind == TOUR_OCCUPANCY)
        return (struct tour_value){.known = TOUR_NEVER, .why = "no GPU: a CPU has no such figure"};
    if (!strcmp(f->variant, "running")) return (struct tour_value){.known = TOUR_PENDING};
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        if (strcmp(times[i].variant, f->variant) != 0) continue;
        v.number = times[i].number;
        v.low = times[i].low;
        v.high = times[i].high;
    }
    v.is_wrong = !strcmp(f->variant, "separable");
    g_snprintf(v.text, sizeof v.text, "%g", v.number);
    return v;
}

TEST(claims_are_judged)
{
    static const struct {
        const char *claim;
        bool has_gpu_times;
        enum claim_verdict verdict;
        const char *text;
    } cases[] = {
        {"{ms:shared} < {ms:naive}: a tile pays", true, CLAIM_HOLDS,
         "✓ a tile pays: 0.412 ms < 1.4 ms"},
        {"{ms:shared}<{ms:naive}:a tile pays", false, CLAIM_UNKNOWABLE,
         "– a tile pays (not known without a GPU)"},
        {"{ms:separable} < {ms:naive}: x", false, CLAIM_UNKNOWABLE,
         "– x (not known without a GPU)"},
        {"{ms:naive} < {ms:shared}: x", true, CLAIM_FAILS, "✗ x: 1.4 ms, not < 0.412 ms"},
        {"{ms:naive} > 3 {ms:shared}: x", true, CLAIM_HOLDS, "✓ x: 1.4 ms > 3 × 0.412 ms"},
        {"{ms:naive} > 4 × {ms:shared}: x", true, CLAIM_FAILS, "✗ x: 1.4 ms, not > 4 × 0.412 ms"},
        {"{ms:naive} > 3.4 {ms:shared}: x", true, CLAIM_UNCLEAR,
         "≈ x: 1.4 ms, not > 3.4 × 0.412 ms (equal within their spread)"},
        {"{ms:naive} < {ms:texture}: x", true, CLAIM_UNCLEAR,
         "≈ x: 1.4 ms, not < 1.42 ms (equal within their spread)"},
        {"{ms:naive} <= {ms:texture}: x", true, CLAIM_HOLDS, "✓ x: 1.4 ms ≤ 1.42 ms"},
        {"{ms:naive} ≥ {ms:texture}: x", true, CLAIM_HOLDS, "✓ x: 1.4 ms ≥ 1.42 ms"},
        {"{ms:naive} = {ms:texture}: x", true, CLAIM_HOLDS, "✓ x: 1.4 ms = 1.42 ms"},
        {"{ms:naive} = {ms:shared}: x", true, CLAIM_FAILS, "✗ x: 1.4 ms, not = 0.412 ms"},
        {"{ms:shared} ≈ 0.43: x", true, CLAIM_HOLDS, "✓ x: 0.412 ms ≈ 0.43 within 10 %"},
        {"{ms:shared} ≈ 0.43 within 2 %: x", true, CLAIM_FAILS,
         "✗ x: 0.412 ms, not ≈ 0.43 within 2 %"},
        {"{ms:separable} < {ms:naive}: x", true, CLAIM_FAILS,
         "✗ x: 0.1 ms, not < 1.4 ms (the result is wrong)"},
        {"{ms:running} < {ms:naive}: {ms:running} ms", true, CLAIM_PENDING, "… … ms"},
        {"{ms:running} < {occupancy}: x", false, CLAIM_UNKNOWABLE, "– x (not known without a GPU)"},
        {"{occupancy} < 0.5: x", false, CLAIM_UNKNOWABLE, "– x (no GPU: a CPU has no such figure)"},
        {"{conflicts:shared} = 0: none", false, CLAIM_HOLDS, "✓ none: 0 conflicts = 0"},
        {"{conflicts} > 0: some", false, CLAIM_FAILS, "✗ some: 0 conflicts, not > 0"},
        {"8 {sectors:shared} <= 256: x", false, CLAIM_HOLDS, "✓ x: 8 × 32 sectors per pixel ≤ 256"},
        {"{words/request} = 1: x", false, CLAIM_HOLDS, "✓ x: 1 word a request = 1"},
        {"{sectors} < 32: x", false, CLAIM_FAILS, "✗ x: 32 sectors per pixel, not < 32"},
        {"{sectors} = 32.01: x", false, CLAIM_HOLDS, "✓ x: 32 sectors per pixel = 32.01"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct claim c;
        must(claim_read(&c, cases[i].claim, &filters, &err));
        const struct claim_finding found =
            claim_judge(&c, find_figure, NULL, cases[i].has_gpu_times);
        g_autofree char *text = claim_write(&c, &found, find_figure, NULL);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(found.verdict, cases[i].verdict);
        claim_finish(&c);
        assert_null(c.sentence);
    }
}

TEST(figures_are_listed)
{
    OWNED(claim_finish) struct claim c;
    struct tour_figure figures[4];
    assert_true(claim_read(&c, "2 {ms} < {conflicts}: {x:shared} and {radius}", &filters, &err));
    assert_int_equal(claim_figures(&c, figures, 4), 4);
    assert_int_equal(figures[1].kind, TOUR_COUNTER);
    assert_int_equal(figures[3].kind, TOUR_PARAM);
    assert_int_equal(claim_figures(&c, figures, 1), 1);
    assert_true(claim_is_about_time(&c));
    claim_finish(&c);
    assert_true(claim_read(&c, "1 < {conflicts}: {ms}", &filters, &err));
    assert_false(claim_is_about_time(&c));
}

SUITE("claim", set_up, NULL)
