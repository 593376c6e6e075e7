/* SPDX-License-Identifier: Apache-2.0 */
/* The child's end of a call, and what it and the server say to each other. Inside server/core only. */
#ifndef SERVER_CORE_CHILD_H
#define SERVER_CORE_CHILD_H

#include <stdint.h>
#include <stdnoreturn.h>
#include <sys/types.h>

#include "server/core/call.h"

/*
 * Where the child has its descriptors: 0 and 1 are /dev/null, 2 is the server's; its reports (frames: a kind,
 * a length, a text); the output of its command, two pipes; the command's input.
 */
enum { REPORT_FD = 3, OUT_FD, ERR_FD, INPUT_FD, CHILD_FDS };

enum frame { FRAME_BEGUN = 1, FRAME_WAITS, FRAME_ITEM, FRAME_RESULT, FRAME_ERROR };

struct frame_head {
	uint32_t kind, len;
};

/* In a new process of SERVER: does what OP says, and exits. FDS may lie anywhere; -1: none. STREAMS: the
 * output of the command goes to its pipes. */
noreturn void child_run(const struct op *op, const json_t *args, const struct call_how *how,
			int fds[CHILD_FDS], bool streams, pid_t server);
/*
 * The same for a call that is expected: makes its box, writes CHILD_READY to INPUT_FD, which is a socket, and
 * waits there for a request. It exits when that closes; before it says anything: if it cannot make the box.
 */
noreturn void child_run_ahead(const struct op *op, const json_t *args, const struct call_how *how,
			      int fds[CHILD_FDS], pid_t server);
#define CHILD_READY 'r'
/* That request: a new text, or NULL. */
char *child_request(const json_t *args, const struct call_how *how, bool streams);

#endif
