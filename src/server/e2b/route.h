/* SPDX-License-Identifier: Apache-2.0 */
/* Which request is which: the table of routes, and the sandbox and port that a request is for. Text only. */
#ifndef SERVER_E2B_ROUTE_H
#define SERVER_E2B_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define ROUTE_ID_MAX 64

enum { ROUTE_PORT_ENVD = 49983, ROUTE_PORT_CODE = 49999 };

/* X(name, where, method, path): `*` in a path is one part of it, the first of which is the route's id. */
#define ROUTES(X)                                                          \
	X(CREATE, CONTROL, "POST", "/sandboxes")                           \
	X(CREATE_V2, CONTROL, "POST", "/v2/sandboxes")                     \
	X(LIST, CONTROL, "GET", "/sandboxes")                              \
	X(LIST_V2, CONTROL, "GET", "/v2/sandboxes")                        \
	X(SHOW, CONTROL, "GET", "/sandboxes/*")                            \
	X(KILL, CONTROL, "DELETE", "/sandboxes/*")                         \
	X(TIMEOUT, CONTROL, "POST", "/sandboxes/*/timeout")                \
	X(REFRESH, CONTROL, "POST", "/sandboxes/*/refreshes")              \
	X(PAUSE, CONTROL, "POST", "/sandboxes/*/pause")                    \
	X(RESUME, CONTROL, "POST", "/sandboxes/*/resume")                  \
	X(CONNECT, CONTROL, "POST", "/sandboxes/*/connect")                \
	X(CONNECT_V2, CONTROL, "POST", "/v2/sandboxes/*/connect")          \
	X(METRICS, CONTROL, "GET", "/sandboxes/*/metrics")                 \
	X(SNAPSHOT, CONTROL, "POST", "/sandboxes/*/snapshots")             \
	X(SNAPSHOTS, CONTROL, "GET", "/snapshots")                         \
	X(SNAPSHOT_REMOVE, CONTROL, "DELETE", "/templates/*")              \
	X(HEALTH, ENVD, "GET", "/health")                                  \
	X(READ, ENVD, "GET", "/files")                                     \
	X(WRITE, ENVD, "POST", "/files")                                   \
	X(START, ENVD, "POST", "/process.Process/Start")                   \
	X(ATTACH, ENVD, "POST", "/process.Process/Connect")                \
	X(PROCESSES, ENVD, "POST", "/process.Process/List")                \
	X(INPUT, ENVD, "POST", "/process.Process/SendInput")               \
	X(STREAM_INPUT, ENVD, "POST", "/process.Process/StreamInput")      \
	X(CLOSE_STDIN, ENVD, "POST", "/process.Process/CloseStdin")        \
	X(SIGNAL, ENVD, "POST", "/process.Process/SendSignal")             \
	X(UPDATE, ENVD, "POST", "/process.Process/Update")                 \
	X(STAT, ENVD, "POST", "/filesystem.Filesystem/Stat")               \
	X(MAKE_DIR, ENVD, "POST", "/filesystem.Filesystem/MakeDir")        \
	X(MOVE, ENVD, "POST", "/filesystem.Filesystem/Move")               \
	X(LIST_DIR, ENVD, "POST", "/filesystem.Filesystem/ListDir")        \
	X(REMOVE, ENVD, "POST", "/filesystem.Filesystem/Remove")           \
	X(WATCH, ENVD, "POST", "/filesystem.Filesystem/WatchDir")          \
	X(WATCHER, ENVD, "POST", "/filesystem.Filesystem/CreateWatcher")   \
	X(EVENTS, ENVD, "POST", "/filesystem.Filesystem/GetWatcherEvents") \
	X(UNWATCH, ENVD, "POST", "/filesystem.Filesystem/RemoveWatcher")   \
	X(EXECUTE, CODE, "POST", "/execute")                               \
	X(CODE_HEALTH, CODE, "GET", "/health")                             \
	X(CONTEXTS, CODE, "GET", "/contexts")                              \
	X(CONTEXT_NEW, CODE, "POST", "/contexts")                          \
	X(CONTEXT_END, CODE, "DELETE", "/contexts/*")                      \
	X(CONTEXT_RESTART, CODE, "POST", "/contexts/*/restart")

#define ROUTE_NAME(name, where, method, path) ROUTE_##name,
enum route { ROUTES(ROUTE_NAME) ROUTE_NONE };
#undef ROUTE_NAME

enum route_where { ROUTE_CONTROL, ROUTE_ENVD, ROUTE_CODE, ROUTE_PORT };

/* Where a request goes, by its headers: those of E2B, or "PORT-ID.anything" in Host. */
struct route_target {
	enum route_where where;
	unsigned int port;     /* of the sandbox; 0: none is named */
	char id[ROUTE_ID_MAX]; /* of the sandbox; "": none is named */
};

/* False: they name a sandbox or a port that cannot be one. ID, PORT and HOST may be NULL. */
bool route_target(const char *id, const char *port, const char *host, struct route_target *ret);
/*
 * The route of METHOD and PATH among those of WHERE, and the part of the path that is its id, or "".
 * *RET_SEEN: the path is known, for another method.
 */
enum route route_find(enum route_where where, const char *method, const char *path, char ret_id[ROUTE_ID_MAX],
		      bool *ret_seen);
/* Letters and digits, and - and _ behind the first; at most ROUTE_ID_MAX - 1. */
bool route_is_id(const char *text);
/* TEXT with its %XX resolved, appended; false: one of them is none, or a NUL. */
bool route_unescape(const char *text, struct buf *ret);

#endif
