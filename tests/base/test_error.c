// How many lines a message has.
#include "unit.h"

#include "base/error.h"

TEST(a_name_cannot_begin_a_line)
{
    assert_false(error_set(&err, "cannot read '%s': it is gone", "a\ntilescope: b\n.png"));
    assert_string_equal(err.text, "cannot read 'a?tilescope: b?.png': it is gone");
    error_set(&err, "it is gone");
    assert_false(error_prefix(&err, "cannot read '%s': ", "a\n.png"));
    assert_string_equal(err.text, "cannot read 'a?.png': it is gone");
}

TEST(a_log_keeps_its_lines)
{
    assert_false(error_set_log(&err, "a.cu:1:1: no\n    b\n    ^"));
    assert_string_equal(err.text, "a.cu:1:1: no\n    b\n    ^");
    error_prefix(&err, "%s: ", "x\ny");
    assert_string_equal(err.text, "x?y: a.cu:1:1: no\n    b\n    ^");
}

TEST(nobody_need_listen)
{
    assert_false(error_set(NULL, "no %d", 1));
    assert_false(error_set_log(NULL, "no"));
    assert_false(error_prefix(NULL, "no %d: ", 1));
}
