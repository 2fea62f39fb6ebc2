-- The check of how comments begin (tools/check_comments.lua) holds for the sources, and sees what is planted
-- in a folder with few of them.

local checker = require "spec.support.checker" ("tools/check_comments.lua", "mkdir -p '%s/src/base'")

describe("the check of comments", function()
  local check, check_fails = checker.check, checker.check_fails

  before_each(checker.begin)
  after_each(checker.finish)

  local function plant(name, text)
    checker.plant("src/" .. name, text, "w")
  end

  -- A file whose first comment is well, and so many bad ones behind it.
  local function plant_many(count)
    plant("many.c", "/* Well. */\n" .. ("int i; /* Who is this? */\n"):rep(count))
  end

  it("holds for the sources as they are", function()
    checker.check_holds "."
  end)

  it("allows a few, and lists all when there are more", function()
    plant_many(15)
    assert.is_true(check())
    plant_many(16)
    check_fails("src/many.c:2: Who is this?")
    check_fails("src/many.c:17: Who is this?")
    check_fails("16 comments begin with such words; at most 15 may")
  end)

  it("knows comments of all kinds, and takes lines in a row for one", function()
    plant_many(15)
    for name, text in pairs {
      ["base/a.c"] = "/* Well. */\n\n    /*\n     * Those.\n     */",
      ["base/b.h"] = "/* Well. */\n\n/* ---- The\n * same ---- */",
      ["base/c.js"] = "// Well.\nconst quote = /['\"]/; // What is it?",
      ["base/d.lua"] = "-- Well.\nlocal s = [[--]] .. '--\\'' --[==[ Whose ]] ]==]",
      ["base/e.lua"] = "-- Well.\n\n---Whatever it is.",
    } do
      plant(name, text)
      check_fails "16 comments"
      checker.remove("src/" .. name)
    end
    plant("base/f.lua", "-- Well,\n-- Who goes on.\nlocal s = '-- Who' .. [[\n-- Who]] -- Whole\n"
      .. "         -- Who")
    plant("base/g.c", "/* Well. */\nchar *s = \"/* Who */\"; /* What's not\n * Who */\nint i; /* Whom_it */")
    check_fails "16 comments"
    plant("base/g.c", "/* Well. */\nchar *s = \"/* Who */\"; /* Not\n * Who */\nint i; /* Whom_it */")
    assert.is_true(check())
  end)

  it("wants a first paragraph without any, that does not refer to another file alone", function()
    plant("a.h", "/*\n * a.h - all. Who reads it?\n */")
    check_fails("src/a.h:1: a.h - all. Who reads it? (in the first paragraph of a file)")
    for _, opening in ipairs { "see b.h", "a.h - see b.h", "a.h - what is in b.h" } do
      plant("a.h", "/* " .. opening .. " */")
      check_fails("src/a.h:1: " .. opening .. " (in the first paragraph of a file)")
    end
    plant("a.h", "/*\n * a.h - all.\n *\n * Who reads it?\n */")
    assert.is_true(check())
  end)

  it("fails where there are no files", function()
    check_fails "no files in "
  end)
end)
