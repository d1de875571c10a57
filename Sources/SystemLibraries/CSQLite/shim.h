/* A function of SQLite with variable arguments, which Swift cannot call. Everything else of SQLite comes through GRDB. */
#pragma once

#include <sqlite3.h>

/* Counts no memory. While it counts, each allocation of each connection takes one lock of the whole process. Only before the first
 * connection. */
static inline int docfs_sqlite_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
