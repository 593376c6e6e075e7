/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of processes of one user to the supervisor of a run: status, join, freeze the box, end it. One
 * struct per packet, followed by a text. Inside run/ only.
 */
#ifndef RUN_LIVE_H
#define RUN_LIVE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "run/run.h"
#include "secret/known_secrets.h"

#define LIVE_VERSION 3u
/* Of the text: every option that affects walls, or the description of a run. */
#define LIVE_MAX_TEXT 65536u
/* How long each side waits for the other's message. */
#define LIVE_PATIENCE_MS 5000
/* A snapshot in progress makes others wait. */
#define LIVE_ANSWER_MS 30000
/* A supervisor with nothing to wait for answers at once, unless it is stopped. */
#define LIVE_STATUS_MS 2000
/* A pause that was interrupted by the deadline of one command continues for the others after this. */
#define LIVE_AGAIN_MS 500

enum live_word {
	/*
	 * Walls, or none: any; timeout_ms; value: JAIL_JOIN_COMMAND or JAIL_JOIN_WATCHER; carries the
	 * descriptors of JAIL_JOIN, and secrets if it has some.
	 */
	LIVE_JOIN = 1,
	LIVE_FREEZE, /* until the connection ends */
	/* error: empty on success; for LIVE_STATUS status and text; for LIVE_JOIN carries the box's secrets
	 */
	LIVE_ANSWER,
	LIVE_STATUS,
	LIVE_SIGNAL, /* value */
	LIVE_END,
	LIVE_PAUSE,
	LIVE_RESUME,
	LIVE_INPUT, /* the answer carries the write end of the command's input */
	LIVE_CLOSE_INPUT,
	LIVE_NET, /* value: enum run_net_ask, with a text; so is the answer */
};

struct live_message {
	uint32_t word;
	uint32_t version;
	uint64_t timeout_ms;
	struct aisbx_error error;
	int32_t value;
	uint32_t pad;
	struct run_status status;
};

/* The supervisor's answer about the run itself. */
struct live_reply {
	struct live_message *m;
	int fd;     /* borrowed; sent with it; -1: none */
	char *text; /* LIVE_MAX_TEXT bytes; "": none */
};
typedef void live_attend_fn(void *ctx, const struct live_message *m, const char *text,
			    struct live_reply *ret);

/* The two sockets of a supervisor: of a box that stays, and of the run. */
enum { LIVE_BOX, LIVE_RUN, LIVE_SOCKETS };

/* A client that has connected and sent nothing yet. */
struct live_guest {
	int fd;         /* owned; -1: nobody */
	uint64_t until; /* ms; then it never will */
};

/* The supervisor's side. */
struct live {
	int listeners[LIVE_SOCKETS]; /* borrowed; -1: none */
	struct live_guest guests[LIVE_SOCKETS];
	int freezer;       /* owned; for whom the box is frozen */
	int pauser;        /* owned; the client that waits for the box to be paused */
	bool paused;       /* until somebody resumes it */
	uint64_t again_ms; /* when to freeze a paused box again; 0: it is frozen */
	bool any;          /* a command was let in */
	const char *walls; /* borrowed; NUL-terminated texts, one after the other */
	size_t walls_len;
	bool closed; /* no command is let in: there is only the one that the box was made for */
	int passed;  /* borrowed; sent with the answer; -1: nothing */
	struct known_secrets
		*known_secrets; /* borrowed; the box's secrets, which a command that joins must know */
	const char *about;      /* borrowed; description of the run; NULL: none */
	live_attend_fn *attend;
	void *attend_ctx; /* borrowed */
};

#define LIVE_POLLS (LIVE_SOCKETS + 1)

void live_init(struct live *l);
void live_finish(struct live *l);
/* What to wait for. READY: there is a box that can be joined. */
void live_poll(const struct live *l, bool ready, struct pollfd polls[LIVE_POLLS]);
/* When to check again even if nothing came; 0: not needed. */
uint64_t live_due(const struct live *l, bool ready);
/* Does what can be done now; CONTROL leads to pid 1. */
void live_turn(struct live *l, bool ready, const struct pollfd polls[LIVE_POLLS], int control);
/* Pid 1 has frozen the box, or says why it is not (any more). */
void live_frozen(struct live *l, int error);

/* What the other side has to say, and hears. */
struct live_question {
	const struct live_message *m;
	const char *text; /* borrowed; TEXT_LEN bytes */
	size_t text_len;
	const int *fds; /* borrowed */
	size_t n_fds;
	int patience_ms;
};

/* The other side: sends, */
int live_send(int fd, const struct live_question *q, struct aisbx_error *e);
/* waits for the answer; RET_TEXT (heap) and RET_FD may be NULL; */
int live_hear(int fd, int patience_ms, struct live_message *ret, char **ret_text, int *ret_fd,
	      struct aisbx_error *e);
/* both. */
int live_ask(int fd, const struct live_question *q, struct live_message *ret, char **ret_text, int *ret_fd,
	     struct aisbx_error *e);

#endif
