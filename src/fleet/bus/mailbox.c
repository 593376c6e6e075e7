/* SPDX-License-Identifier: Apache-2.0 */
/* Letters from the threads of libnats to the one that uses the bus: a list behind a mutex, and a descriptor
 * that is readable while there are any. Each kind has its own bounds, so that a flood of one does not
 * displace the others; what does not fit is lost, and counted. */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/scope.h"
#include "fleet/bus/parts.h"
#include "fleet/core/memory.h"

#define LEAVE_MS 2000

struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t left;
	unsigned holders; /* the bus, the connection, and each subscription */
	int fd;
	struct letter *first, **end;
	size_t n[LETTER_N], bytes[LETTER_N];
	uint64_t lost;
	atomic_bool down;
};

/* Whom a subscription's messages are for. */
struct slot {
	struct mailbox *box;
	enum letter_kind kind;
};

static const struct {
	size_t n, bytes;
} most[LETTER_N] = {
	[LETTER_ANSWER] = { 65536, (size_t)256 << 20 },
	[LETTER_MESSAGE] = { 65536, (size_t)128 << 20 },
	[LETTER_LANE] = { 65536, (size_t)16 << 20 },
	[LETTER_PLAIN] = { 16384, (size_t)64 << 20 },
	/* of the connection itself: few, and never lost */
	[LETTER_DOWN] = { SIZE_MAX, SIZE_MAX },
	[LETTER_UP] = { SIZE_MAX, SIZE_MAX },
	[LETTER_CLOSED] = { SIZE_MAX, SIZE_MAX },
};

struct mailbox *mailbox_create(void)
{
	struct mailbox *box = fleet_new(sizeof(*box));
	pthread_condattr_t attr;

	box->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (box->fd < 0) {
		free(box);
		return NULL;
	}
	pthread_mutex_init(&box->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&box->left, &attr);
	pthread_condattr_destroy(&attr);
	box->end = &box->first;
	box->holders = 1;
	return box;
}

int mailbox_fd(const struct mailbox *box)
{
	return box->fd;
}

void mailbox_letter_finish(struct letter *letter)
{
	natsMsg_Destroy(letter->msg);
	free(letter->text);
}

static void hold(struct mailbox *box)
{
	pthread_mutex_lock(&box->lock);
	box->holders++;
	pthread_mutex_unlock(&box->lock);
}

static void destroy(struct mailbox *box)
{
	while (box->first) {
		struct letter *letter = box->first;

		box->first = letter->next;
		mailbox_letter_finish(letter);
		free(letter);
	}
	close(box->fd);
	pthread_cond_destroy(&box->left);
	pthread_mutex_destroy(&box->lock);
	free(box);
}

static void release(struct mailbox *box)
{
	bool last;

	pthread_mutex_lock(&box->lock);
	last = --box->holders == 0;
	pthread_cond_signal(&box->left);
	pthread_mutex_unlock(&box->lock);
	if (last)
		destroy(box);
}

void mailbox_leave(struct mailbox *box)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += LEAVE_MS / 1000;
	pthread_mutex_lock(&box->lock);
	while (box->holders > 1 && pthread_cond_timedwait(&box->left, &box->lock, &until) == 0)
		;
	pthread_mutex_unlock(&box->lock);
	release(box);
}

void mailbox_wake(struct mailbox *box)
{
	/* It can fail only when the counter is full, and then the descriptor is readable. */
	eventfd_write(box->fd, 1);
}

/* Owns MSG and TEXT. */
static void put(struct mailbox *box, enum letter_kind kind, natsMsg *msg, char *text)
{
	struct letter *letter = fleet_new(sizeof(*letter));
	size_t bytes = msg ? (size_t)natsMsg_GetDataLength(msg) : 0;
	bool fits;

	*letter = (struct letter){ .kind = kind, .msg = msg, .text = text };
	pthread_mutex_lock(&box->lock);
	fits = box->n[kind] < most[kind].n && bytes <= most[kind].bytes - box->bytes[kind];
	if (fits) {
		box->n[kind]++;
		box->bytes[kind] += bytes;
		*box->end = letter;
		box->end = &letter->next;
		mailbox_wake(box);
	} else {
		box->lost++;
	}
	pthread_mutex_unlock(&box->lock);
	if (!fits) {
		mailbox_letter_finish(letter);
		free(letter);
	}
}

bool mailbox_take(struct mailbox *box, struct letter *ret)
{
	struct letter *letter;
	eventfd_t n;

	pthread_mutex_lock(&box->lock);
	letter = box->first;
	if (letter) {
		box->first = letter->next;
		if (!box->first)
			box->end = &box->first;
		box->n[letter->kind]--;
		box->bytes[letter->kind] -= letter->msg ? (size_t)natsMsg_GetDataLength(letter->msg) : 0;
	} else {
		eventfd_read(box->fd, &n);
	}
	pthread_mutex_unlock(&box->lock);
	if (!letter)
		return false;
	*ret = *letter;
	free(letter);
	return true;
}

uint64_t mailbox_lost(struct mailbox *box)
{
	uint64_t lost;

	pthread_mutex_lock(&box->lock);
	lost = box->lost;
	pthread_mutex_unlock(&box->lock);
	return lost;
}

bool mailbox_is_down(const struct mailbox *box)
{
	return atomic_load(&box->down);
}

static void on_down(natsConnection *nc, void *closure)
{
	struct mailbox *box = closure;

	(void)nc;
	/* Closing says so, too, after it was down already. */
	if (!atomic_exchange(&box->down, true))
		put(box, LETTER_DOWN, NULL, NULL);
}

static void on_up(natsConnection *nc, void *closure)
{
	struct mailbox *box = closure;

	(void)nc;
	atomic_store(&box->down, false);
	put(box, LETTER_UP, NULL, NULL);
}

static void on_closed(natsConnection *nc, void *closure)
{
	struct mailbox *box = closure;
	const char *why = NULL;

	natsConnection_GetLastError(nc, &why);
	put(box, LETTER_CLOSED, NULL, why && *why ? strdup(why) : NULL);
	release(box);
}

static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus err, void *closure)
{
	struct mailbox *box = closure;

	(void)nc;
	(void)sub;
	if (err != NATS_SLOW_CONSUMER)
		return;
	pthread_mutex_lock(&box->lock);
	box->lost++;
	pthread_mutex_unlock(&box->lock);
}

natsStatus mailbox_options(struct mailbox *box, natsOptions *options)
{
	natsStatus s = natsOptions_SetDisconnectedCB(options, on_down, box);

	if (s == NATS_OK)
		s = natsOptions_SetReconnectedCB(options, on_up, box);
	if (s == NATS_OK)
		s = natsOptions_SetClosedCB(options, on_closed, box);
	if (s == NATS_OK)
		s = natsOptions_SetErrorHandler(options, on_error, box);
	return s;
}

void mailbox_connected(struct mailbox *box)
{
	hold(box);
}

static void on_message(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
	struct slot *slot = closure;

	(void)nc;
	(void)sub;
	put(slot->box, slot->kind, msg, NULL);
}

static void on_complete(void *closure)
{
	struct slot *slot = closure;

	release(slot->box);
	free(slot);
}

natsStatus mailbox_subscribe(struct mailbox *box, natsConnection *nc, const char *subject,
			     enum letter_kind kind, natsSubscription **ret)
{
	struct slot *slot = fleet_new(sizeof(*slot));
	natsSubscription *sub = NULL;
	natsStatus s;

	*slot = (struct slot){ .box = box, .kind = kind };
	s = natsConnection_Subscribe(&sub, nc, subject, on_message, slot);
	if (s == NATS_OK) {
		hold(box);
		s = natsSubscription_SetOnCompleteCB(sub, on_complete, slot);
		/* The letters have their own bounds. */
		if (s == NATS_OK)
			s = natsSubscription_SetPendingLimits(sub, INT_MAX, INT_MAX);
	}
	if (s == NATS_OK) {
		*ret = sub;
		return NATS_OK;
	}
	/* A subscription without on_complete keeps its slot: who knows when it was used last. */
	if (sub)
		natsSubscription_Destroy(sub);
	else
		free(slot);
	return s;
}
