/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of turns is a file in the state directory. Who changes it has its first lock for that moment; who
 * has a place in it has the lock of that place, which the kernel takes away when the process ends, however it
 * ends.
 */
#include "box/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/box.h"
#include "box/owner.h"
#include "box/queue_settings.h"
#include "box/runs.h"
#include "box/turn_table.h"
#include "run/ready_box.h"
#include "run/turn.h"

#define FILE_NAME "turns"
/* Locks lie beyond the content. */
#define TABLE_LOCK ((off_t)1 << 30)
/* Somebody who was stopped while it changes the table does not stop all others for longer. */
#define TABLE_PATIENCE_MS 2000
/* Who waits longest looks so often for turns of processes that were killed; the others. */
#define FIRST_LOOK_MS 200
#define OTHER_LOOK_MS 2000
/* A person is told when it takes so long. */
#define TELL_MS 1000
/* So many are told at once that it is their turn; who is not, looks. */
#define WOKEN_MAX 32

struct seeker {
	const struct caller *by;
	const struct run_spec *spec;
	struct queue_policy rules;
	struct turn *turn;
	uint64_t caller, since_ms;
	uint64_t ticket; /* 0: it has no place */
	bool told;
	struct turn_table *table; /* owned; as it was last read */
	char woken[WOKEN_MAX][STORE_ID_MAX];
	size_t n_woken;
};

static int lock_at(int fd, off_t at, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &l) < 0 ? -errno : 0;
}

static off_t place_lock(size_t place)
{
	return TABLE_LOCK + 1 + (off_t)place;
}

static bool is_alive(int fd, size_t place)
{
	struct flock l = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place_lock(place), .l_len = 1
	};

	return fcntl(fd, F_OFD_GETLK, &l) < 0 || l.l_type != F_UNLCK;
}

/* What of it is in use, in bytes. */
static size_t table_size(size_t used)
{
	return offsetof(struct turn_table, places) + used * sizeof(struct turn_place);
}

/* What is not all there is none. */
static int begin_change(int fd, struct turn_table *t)
{
	const struct timespec pause = { .tv_nsec = 500000 };
	const uint64_t until = time_ms() + TABLE_PATIENCE_MS;
	int r;
	ssize_t n;

	while ((r = lock_at(fd, TABLE_LOCK, F_WRLCK)) == -EAGAIN && time_ms() < until)
		nanosleep(&pause, NULL);
	if (r < 0)
		return r;
	n = pread(fd, t, sizeof(*t), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < table_size(0) || (t->used <= TURN_PLACES && (size_t)n < table_size(t->used)))
		t->magic = 0;
	turn_table_check(t);
	return 0;
}

/* All that is or was in use. */
static int end_change(int fd, const struct turn_table *t, uint32_t used_before)
{
	const size_t len = table_size(t->used > used_before ? t->used : used_before);
	int r = pwrite(fd, t, len, 0) == (ssize_t)len ? 0 : errno ? -errno : -ENOSPC;

	lock_at(fd, TABLE_LOCK, F_UNLCK);
	return r;
}

/* MemAvailable of the machine is less than the next run must find. */
static bool is_short_of_memory(const struct queue_policy *rules, uint64_t *ret_free, uint64_t *ret_asked)
{
	scoped(drop_fd) int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	scoped(buf_finish) struct buf text = { 0 };
	unsigned long long total, free_kib;
	const char *at;

	if (fd < 0 || io_read_all(fd, 65536, &text) < 0 || !buf_str(&text) ||
	    sscanf(text.data, "MemTotal: %llu", &total) != 1)
		return false;
	at = strstr(text.data, "MemAvailable:");
	if (!at || sscanf(at, "MemAvailable: %llu", &free_kib) != 1)
		return false;
	*ret_free = free_kib << 10;
	*ret_asked = queue_policy_memory(rules, total << 10);
	return *ret_free < *ret_asked;
}

static void wake_later(struct seeker *s, const char *run)
{
	if (*run && s->n_woken < WOKEN_MAX)
		snprintf(s->woken[s->n_woken++], STORE_ID_MAX, "%s", run);
}

static void wake(struct seeker *s)
{
	for (size_t i = 0; i < s->n_woken; i++) {
		struct aisbx_error ignored = AISBX_ERROR_INIT;
		scoped(drop_fd) int fd = -1;

		box_run_connect(s->woken[i], &fd, &ignored);
	}
	s->n_woken = 0;
}

/* Gives turns to all that may have one now. */
static void pass_turns(struct seeker *s, int64_t *ret_soon_ms)
{
	struct turn_table *t = s->table;
	const int64_t now = (int64_t)time_ms();
	uint64_t free_memory, asked;
	size_t next;

	do {
		const bool is_short = turn_count(t, TURN_WAITS) && turn_count(t, TURN_RUNS) &&
				      is_short_of_memory(&s->rules, &free_memory, &asked);

		next = turn_next(t, &s->rules, now, is_short, ret_soon_ms);
		if (next == TURN_NONE)
			break;
		turn_begin(t, &s->rules, next, now);
		if (t->places[next].ticket != s->ticket)
			wake_later(s, t->places[next].run);
	} while (turn_count(t, TURN_WAITS));
}

/* Those of processes that are gone. */
static bool clear_dead(struct seeker *s)
{
	struct turn_table *t = s->table;
	bool any = false;

	for (size_t i = t->used; i-- > 0;)
		if (i < t->used && t->places[i].state != TURN_FREE && t->places[i].ticket != s->ticket &&
		    !is_alive(s->turn->fd, i)) {
			turn_leave(t, i);
			any = true;
		}
	return any;
}

static bool has_turn(const struct seeker *s)
{
	return s->ticket && s->table->places[s->turn->place].state == TURN_RUNS;
}

static bool is_oldest(const struct seeker *s)
{
	for (size_t i = 0; i < s->table->used; i++)
		if (s->table->places[i].state == TURN_WAITS && s->table->places[i].ticket < s->ticket &&
		    is_alive(s->turn->fd, i))
			return false;
	return true;
}

/* False: there is no room, and it tries again later. */
static bool enter(struct seeker *s)
{
	struct turn_table *t = s->table;
	struct turn *turn = s->turn;
	const bool is_mine = s->ticket && turn->place < t->used &&
			     t->places[turn->place].state != TURN_FREE &&
			     t->places[turn->place].ticket == s->ticket;

	if (is_mine)
		return true;
	s->ticket = 0;
	turn->place = turn_enter(t, s->caller, s->spec->run_id);
	if (turn->place == TURN_NONE && clear_dead(s))
		turn->place = turn_enter(t, s->caller, s->spec->run_id);
	if (turn->place == TURN_NONE)
		return false;
	if (lock_at(turn->fd, place_lock(turn->place), F_WRLCK) < 0) {
		turn_leave(t, turn->place); /* of somebody whose entry was lost with a damaged table */
		return false;
	}
	s->ticket = t->places[turn->place].ticket;
	return true;
}

/* The box lives already: its place is that of who has it, who may be waiting for this very command. */
static bool joins_live_box(const struct run_spec *spec)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int fd = -1;

	return spec->box.id[0] && box_run_connect(spec->box.id, &fd, &ignored) == 0;
}

static void explain(const struct seeker *s, char *ret, size_t cap)
{
	const size_t runs = turn_count(s->table, TURN_RUNS);
	uint64_t free_memory = 0, asked = 0;

	if (is_short_of_memory(&s->rules, &free_memory, &asked))
		snprintf(ret, cap,
			 "%zu under way, and %llu MiB of memory are free of the %llu that another run must "
			 "find (free_memory)",
			 runs, (unsigned long long)(free_memory >> 20), (unsigned long long)(asked >> 20));
	else if (s->rules.at_once && runs >= s->rules.at_once)
		snprintf(ret, cap, "%zu under way, as many as may be at once (at_once)", runs);
	else
		snprintf(ret, cap,
			 "who started it has as many as one may have (of_one_caller %llu, a_minute %llu)",
			 (unsigned long long)s->rules.of_one, (unsigned long long)s->rules.a_minute);
}

static int refuse_late(struct seeker *s, struct aisbx_error *e)
{
	char why[256];

	explain(s, why, sizeof(why));
	aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EBUSY,
		     "the run waited %llu s for its turn and was not begun: %s",
		     (unsigned long long)(s->turn->waited_ms / 1000), why);
	return aisbx_hint(e, "try again later; 'aisbx ps' lists what runs and waits, "
			     "~/.config/aisbx/queue.yaml has the limits and 'longest_wait'");
}

static int next_look_ms(const struct seeker *s, int64_t soon_ms)
{
	int64_t ms = is_oldest(s) ? FIRST_LOOK_MS : OTHER_LOOK_MS;

	if (!s->told && s->turn->waited_ms < TELL_MS && TELL_MS - (int64_t)s->turn->waited_ms < ms)
		ms = TELL_MS - (int64_t)s->turn->waited_ms;
	return (int)(soon_ms < ms ? soon_ms : ms);
}

/* Told once, and only where somebody reads it. */
static void tell(struct seeker *s)
{
	char why[256];

	if (s->told || s->turn->waited_ms < TELL_MS || s->by->out_fds[1] <= 0)
		return;
	s->told = true;
	explain(s, why, sizeof(why));
	dprintf(s->by->out_fds[1], "aisbx: waits for its turn: %s\n", why);
}

static int look(void *ctx, int *ret_ms, struct aisbx_error *e)
{
	struct seeker *s = ctx;
	int64_t soon_ms = OTHER_LOOK_MS;
	uint32_t used;
	int r = begin_change(s->turn->fd, s->table);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "find out whose turn it is");
	used = s->table->used;
	s->turn->waited_ms = time_ms() - s->since_ms;
	if (enter(s)) {
		pass_turns(s, &soon_ms);
		if (!has_turn(s) && is_oldest(s) && clear_dead(s))
			pass_turns(s, &soon_ms);
	} else if (!queue_policy_counts(&s->rules)) {
		r = 1; /* nobody counts them, so one more that is not counted changes nothing */
	}
	if (has_turn(s))
		r = 1;
	else if (s->ticket && joins_live_box(s->spec)) {
		turn_leave(s->table, s->turn->place);
		lock_at(s->turn->fd, place_lock(s->turn->place), F_UNLCK);
		s->ticket = 0;
		r = 1;
	} else if (r == 0 && s->rules.longest_ms && s->turn->waited_ms >= s->rules.longest_ms) {
		r = refuse_late(s, e);
	}
	*ret_ms = next_look_ms(s, soon_ms);
	if (r == 0)
		tell(s);
	if (end_change(s->turn->fd, s->table, used) < 0 && r == 0)
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOSPC, "write down who waits for a turn");
	wake(s);
	return r;
}

uint64_t turn_caller(void)
{
	const char *owner = box_acting_for();
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
	char session[32];

	if (!owner) {
		snprintf(session, sizeof(session), "%d", (int)getsid(0));
		owner = session;
	}
	for (const char *c = owner; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return hash;
}

static int open_table(int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = box_state_dir(e);
	scoped(drop_mem) char *path = dir ? path_join(dir, FILE_NAME) : NULL;
	scoped(drop_fd) int fd = -1;
	struct stat st;

	if (!dir)
		return e->code;
	fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600) : -1;
	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, path ? errno : ENOMEM, "open '%s/%s'", dir, FILE_NAME);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EINVAL,
				    "'%s' is not a regular file; remove it", path);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int seek(struct seeker *s, int listener, struct aisbx_error *e)
{
	const struct run_turn w = {
		.listener = listener, .about = s->spec->io.about, .look = look, .ctx = s
	};
	int ms, r = look(s, &ms, e);

	if (r != 0) { /* the time that looking took is no wait */
		s->turn->waited_ms = 0;
		return r < 0 ? r : 0;
	}
	if (s->by->waits)
		s->by->waits(s->by->begun_ctx, s->spec->run_id);
	r = run_await_turn(&w, e);
	s->turn->waited_ms = time_ms() - s->since_ms;
	return r;
}

/* Nobody counts, and no run is stopped for that: not for a state directory that cannot be written to. */
static int go_uncounted(struct turn *t, struct aisbx_error *e)
{
	log_debug("the run goes on without a turn: %s", e->text);
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	close_fd(&t->fd);
	return 0;
}

int turn_take(const struct caller *by, uint64_t caller, const struct run_spec *spec, int listener,
	      struct turn *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct turn_table *table = NULL;
	struct seeker s = { .by = by, .spec = spec, .turn = ret, .caller = caller, .since_ms = time_ms() };
	int r;

	if (spec->box.exec || spec->box.purpose != RUN_COMMAND || (spec->box.ready && spec->box.ready->make))
		return 0;
	r = queue_settings_read(&s.rules, e);
	if (r < 0)
		return r;
	table = s.table = malloc(sizeof(*table));
	if (!table)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "wait for a turn");
	r = open_table(&ret->fd, e);
	if (r == 0)
		r = seek(&s, listener, e);
	if (r < 0 && s.ticket)
		turn_give(ret);
	else if (r < 0 && !queue_policy_counts(&s.rules) && e->kind != AISBX_KIND_CANCELLED)
		return go_uncounted(ret, e);
	if (!s.ticket)
		close_fd(&ret->fd);
	return r;
}

void turn_give(struct turn *t)
{
	struct turn_table *table = t->fd < 0 ? NULL : malloc(sizeof(*table));
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct seeker s = { .turn = t, .table = table };
	int64_t soon_ms = 0;

	if (table && begin_change(t->fd, table) == 0) {
		const uint32_t used = table->used;

		turn_leave(table, t->place);
		if (turn_count(table, TURN_WAITS) && queue_settings_read(&s.rules, &ignored) == 0)
			pass_turns(&s, &soon_ms);
		lock_at(t->fd, place_lock(t->place), F_UNLCK);
		end_change(t->fd, table, used);
		wake(&s);
	}
	free(table);
	close_fd(&t->fd);
}
