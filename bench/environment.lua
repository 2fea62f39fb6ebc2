-- The environment of measured numbers: source, machine, compiler, Lua. And whether the build may be measured.
local environment = {}

local function output_of(command)
  local pipe = io.popen(command .. " 2>/dev/null")
  local text = pipe and pipe:read("a"):gsub("%s+$", "") or ""
  if pipe then
    pipe:close()
  end
  return text ~= "" and text or nil
end

local function processor()
  local file = io.open("/proc/cpuinfo")
  local text = file and file:read("a") or ""
  if file then
    file:close()
  end
  return text:match("model name%s*:%s*([^\n]+)") or output_of("sysctl -n machdep.cpu.brand_string")
end

local function commit()
  local name = output_of("git rev-parse --short=12 HEAD")
  if name and output_of("git status --porcelain -- src lua bench") then
    name = name .. " with changes"
  end
  return name
end

-- Why this build must not be measured; nil when it may.
function environment.objection(core)
  if core._BUILD ~= nil and core._BUILD ~= "release" then
    return ("the module is a %s build"):format(core._BUILD)
  end
  local flags = os.getenv("AOI_FLAGS")
  if flags and flags:find("AOI_SELF_CHECK", 1, true) then
    return "the module checks itself (AOI_SELF_CHECK)"
  elseif flags and flags:find("AOI_TINY", 1, true) then
    return "the module has tiny capacities (AOI_TINY)"
  elseif flags and not flags:find("-DNDEBUG", 1, true) then
    return "assertions are on (NDEBUG is not defined)"
  elseif flags and flags:find("-fsanitize", 1, true) then
    return "sanitizers are on"
  elseif flags and flags:find("-O0", 1, true) then
    return "the compiler does not optimise (-O0)"
  end
  return nil
end

-- Such as "Lua 5.4 (5.4.6)".
local function lua_release()
  local release = output_of((arg[-1] or "lua") .. " -v")
  return ("%s (%s)"):format(_VERSION, release and release:match("^Lua (%S+)") or "release unknown")
end

-- Pairs of a name and a value, in the order to print.
function environment.describe(core, settings)
  return {
    { "version", core._VERSION },
    { "build", core._BUILD or "not told by the module" },
    { "commit", commit() or "not a git repository" },
    { "processor", processor() or "unknown" },
    { "processors", output_of("getconf _NPROCESSORS_ONLN") or "unknown" },
    { "system", output_of("uname -srm") or "unknown" },
    { "compiler", os.getenv("AOI_COMPILER") or "unknown (started without make)" },
    { "flags", os.getenv("AOI_FLAGS") or "unknown (started without make)" },
    { "lua", lua_release() },
    { "rounds", settings.rounds },
    { "moves a round", settings.moves },
    { "mode", settings.quick
      and "quick: a tenth of the entities; shows that it runs, not numbers to cite" or "full" },
  }
end

return environment
