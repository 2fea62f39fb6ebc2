-- The check of the layers of src/ (tools/check_layers.lua) holds for the sources, and sees what is planted
-- in a copy of them.

local checker = require "spec.support.checker" ("tools/check_layers.lua", "cp -R src/. '%s'")

describe("the check of the layers", function()
  local check, check_fails = checker.check, checker.check_fails

  before_each(checker.begin)
  after_each(checker.finish)

  local function plant(name, text)
    checker.plant(name, text, "a")
  end

  it("holds for the sources as they are", function()
    checker.check_holds()
  end)

  it("allows what lies lower, the same folder, the interface and the system", function()
    plant("base/planted.h", '#include "aoi.h"\n#include <space/space.h>')
    plant("tick/planted.h", '#include "base/planted.h"')
    plant("tick/planted.c", '#include "tick/planted.h"')
    plant("lua/planted.c", '#include "aoi.h"\n#include "lua/planted.h"')
    plant("lua/planted.h", "")
    assert.is_true(check())
  end)

  it("sees an include upwards", function()
    plant("space/planted.h", "")
    plant("base/planted.c", '\n#include "space/planted.h"')
    check_fails('base/planted.c:2: includes "space/planted.h": space is above base')
  end)

  it("sees an include upwards by one layer, with spaces in it", function()
    plant("tick/planted.h", "")
    plant("space/planted.c", '  #  include   "tick/planted.h"')
    check_fails("tick is above space")
  end)

  it("sees that somebody includes what is private to another layer", function()
    plant("sight/planted.c", '#include "index/grid.h"')
    check_fails('sight/planted.c:1: includes "index/grid.h": it is private to index')
  end)

  it("sees that the interface includes something of ours", function()
    plant("aoi.h", '#include "base/memory.h"')
    check_fails("the interface includes nothing of ours")
  end)

  it("sees that the binding includes the core", function()
    plant("lua/planted.c", '#include "base/memory.h"')
    check_fails("the binding knows the core by its interface only")
  end)

  it("sees that the core includes the binding", function()
    plant("lua/planted.h", "")
    plant("tick/planted.c", '#include "lua/planted.h"')
    check_fails("it is in none of the layers")
  end)

  it("sees files in no layer, and includes of no file", function()
    plant("other/planted.c", "")
    plant("base/planted.c", '#include "planted.h"')
    check_fails("other/planted.c: is in none of the layers")
    check_fails('includes "planted.h": there is no such file')
  end)

  it("sees a cycle", function()
    plant("base/planted_a.h", '#include "base/planted_b.h"')
    plant("base/planted_b.h", '#include "base/planted_c.h"')
    plant("base/planted_c.h", '#include "base/planted_a.h"')
    check_fails("includes itself: base/planted_a.h, base/planted_b.h, base/planted_c.h, base/planted_a.h")
  end)

  it("sees a circle of calls, by way of a header, too; prototypes and comments are none", function()
    plant("base/planted_a.h", "void planted_a(void);\nvoid planted_c(void);")
    plant("base/planted_a.c", "void planted_a(void) {\n    planted_b();\n}")
    plant("base/planted_b.h", "static inline void planted_b(void) {\n    planted_c();\n}")
    plant("base/planted_c.c", "/* planted_a() */\nvoid planted_c(void) {\nputs(\"planted_a()\");\n}")
    assert.is_true(check())
    plant("base/planted_c.c", "static int *planted_more(int a,\n    int b) {\n  planted_a();\n}")
    check_fails("planted_a: calls itself: base/planted_a, base/planted_b, base/planted_c, base/planted_a")
  end)

  it("sees static functions of one name in one folder, not in two", function()
    plant("base/planted_a.c", "static bool planted(struct two *a,\n                    int b) {\n}")
    plant("shape/planted.c", "static bool planted(void) {\n}")
    assert.is_true(check())
    plant("base/planted_b.c", "ALWAYS_INLINE void planted(void) {\n}")
    check_fails("base/planted_b.c: planted() is the name of a static function in base/planted_a.c, too")
  end)
end)
