/* disk.c - aoi.sync: what a file has been given stands on the disk.
 */
#include "lua/values.h"

#include <lauxlib.h>
#include <stdio.h>

#if defined(_WIN32)
#include <io.h>
#define sync_file(file) _commit(_fileno(file))
#else
#include <unistd.h>
#define sync_file(file) fsync(fileno(file))
#endif

/* aoi.sync(file) -> true; or nil and a message. Waits for the disk. */
static int core_sync(lua_State *L) {
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    if (stream->closef == NULL)
        return luaL_error(L, "sync: the file is closed");
    const int failed = fflush(stream->f) != 0 || sync_file(stream->f) != 0;
    return luaL_fileresult(L, !failed, NULL);
}
