/* SPDX-License-Identifier: Apache-2.0 */
/* The life of services: order of start, readiness, restarts, logs, and their end. */
#include "run/service.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/time.h"
#include "sys/sys.h"

/* Between the end of a service and its next start: doubled each time, up to the second. */
#define BACKOFF_MS     100u
#define BACKOFF_MAX_MS 5000u
/* So often in a row; one that has stayed up this long begins anew. */
#define RESTARTS_IN_A_ROW 10u
#define STEADY_MS         10000u
/* Between two looks whether it is ready: the first soon, for most are quick. */
#define LOOK_MS     5u
#define LOOK_MAX_MS 200u
/* A command that looks and does not come back is ended, and started again. */
#define PROBE_MS 5000u
/* For services that have something to save. */
#define STOP_MS 5000u
/* Lines of its output shown with what is wrong with it. */
#define SHOWN_LINES 12u
#define SHOWN_BYTES 2000u

int services_init(struct services *ss, const struct run_service *list, size_t n, struct aisbx_error *e)
{
	*ss = (struct services){ .box.control = -1, .log_dir = -1 };
	if (!n)
		return 0;
	ss->list = n <= RUN_MAX_SERVICES ? calloc(n, sizeof(*ss->list)) : NULL;
	if (!ss->list)
		return aisbx_fail(e, AISBX_AREA_RUN, n > RUN_MAX_SERVICES ? E2BIG : ENOMEM,
				  "prepare %zu services", n);
	for (ss->n = 0; ss->n < n; ss->n++)
		ss->list[ss->n] = (struct service){
			.what = &list[ss->n], .self = HELPER_INIT, .probe = HELPER_INIT, .file.fd = -1
		};
	return 0;
}

void services_finish(struct services *ss)
{
	for (size_t i = 0; i < ss->n; i++) {
		helper_drop(&ss->list[i].self);
		helper_drop(&ss->list[i].probe);
		runlog_close(&ss->list[i].file);
		free(ss->list[i].log.data);
		redact_finish(&ss->list[i].redact);
	}
	free(ss->list);
	free(ss->failure);
	*ss = (struct services){ .box.control = -1, .log_dir = -1 };
}

static void ring_add(struct ring *r, const char *data, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t at = r->written % SERVICE_LOG_BYTES, part = SERVICE_LOG_BYTES - at;

		part = part < len - i ? part : len - i;
		memcpy(r->data + at, data + i, part);
		r->written += part;
		i += part;
	}
}

/* At most LEN of the newest bytes. */
static void ring_tail(const struct ring *r, size_t len, struct buf *ret)
{
	size_t have = r->written < SERVICE_LOG_BYTES ? (size_t)r->written : SERVICE_LOG_BYTES, at;

	len = len < have ? len : have;
	if (!len)
		return;
	at = (size_t)(r->written - len) % SERVICE_LOG_BYTES;
	have = SERVICE_LOG_BYTES - at < len ? SERVICE_LOG_BYTES - at : len;
	buf_add(ret, r->data + at, have);
	buf_add(ret, r->data, len - have);
}

/* Into the log of a detached run, as far as that may grow. */
static void keep_output(const struct services *ss, struct service *s, const char *data, size_t len)
{
	static const char cut[] = "\n[aisbx: the rest is cut off]\n";

	if (s->file.fd < 0 || s->cut)
		return;
	s->cut = s->file.size + len > ss->log_bytes;
	runlog_add(&s->file, RUNLOG_STDOUT, s->cut ? cut : data, s->cut ? sizeof(cut) - 1 : len);
}

/* LEN bytes without the secrets of the box; none: nothing follows. */
static void scrub(const struct services *ss, struct service *s, const char *data, size_t len, struct buf *ret)
{
	const struct redactor *what = known_secrets_redactor(ss->known_secrets);

	if (what != s->redact.what)
		redact_switch(&s->redact, what);
	if (len)
		redact_feed(&s->redact, data, len, ret);
	else
		redact_end(&s->redact, ret);
	if (ss->known_secrets->failed || s->redact.failed || ret->failed) /* rather nothing than a secret */
		ret->len = 0;
}

static void add_output(const struct services *ss, struct service *s, const char *data, size_t len)
{
	scoped(buf_finish) struct buf clean = { 0 };

	if (known_secrets_redactor(ss->known_secrets) || s->redact.what || s->redact.held.len ||
	    s->redact.failed || ss->known_secrets->failed) {
		scrub(ss, s, data, len, &clean);
		data = clean.data;
		len = clean.len;
	}
	if (!len || (!s->log.data && !(s->log.data = malloc(SERVICE_LOG_BYTES))))
		return;
	ring_add(&s->log, data, len);
	keep_output(ss, s, data, len);
}

/* One chunk of what it wrote. False: there was none. */
static bool read_output(const struct services *ss, struct service *s)
{
	char chunk[16384];
	ssize_t n = s->self.output < 0 ? -1 : read(s->self.output, chunk, sizeof(chunk));

	if (n == 0)
		close_fd(&s->self.output);
	if (n > 0)
		add_output(ss, s, chunk, (size_t)n);
	return n > 0;
}

/* All that is in its pipe; a bound, for somebody else may hold the other end and write on. */
static void drain(const struct services *ss, struct service *s)
{
	for (int i = 0; i < 64 && read_output(ss, s); i++)
		;
	add_output(ss, s, "", 0); /* it has ended, or is about to */
}

/* "\n    line" for each of the last lines. */
static void add_last_lines(const struct service *s, struct buf *b)
{
	scoped(buf_finish) struct buf tail = { 0 }, clean = { 0 };
	const char *text, *from;
	unsigned int lines = 0;

	ring_tail(&s->log, SHOWN_BYTES, &tail);
	buf_add_utf8(&clean, tail.data, tail.len);
	text = buf_str(&clean);
	if (!text || !*text) {
		buf_addf(b, "; it had no output");
		return;
	}
	while (clean.len && clean.data[clean.len - 1] == '\n')
		clean.data[--clean.len] = '\0';
	for (from = text + clean.len; from > text; from--)
		if (from[-1] == '\n' && ++lines == SHOWN_LINES)
			break;
	buf_addf(b, "; its last output:");
	while (*from) {
		size_t n = strcspn(from, "\n");

		buf_addf(b, "\n    %.*s", (int)n, from);
		from += n + (from[n] == '\n');
	}
}

/* Before the command goes, one that fails is the end of the run: the first of them tells why. */
static void fail(struct services *ss, struct service *s, const char *error, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void fail(struct services *ss, struct service *s, const char *error, const char *fmt, ...)
{
	scoped(buf_finish) struct buf b = { 0 };
	char text[700];
	va_list args;

	s->state = RUN_SERVICE_FAILED;
	s->error = error;
	drain(ss, s);
	helper_drop(&s->self);
	helper_drop(&s->probe);
	if (ss->going || ss->failure)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_addf(&b, "service '%s' %s", s->what->name, text);
	add_last_lines(s, &b);
	ss->failure = buf_str(&b) ? take_mem(&b.data) : strdup("a service failed");
}

static const char *how_ended(int status, char *text, size_t cap)
{
	if (WIFEXITED(status))
		snprintf(text, cap, "exit status %d", WEXITSTATUS(status));
	else
		snprintf(text, cap, "signal %d", WTERMSIG(status));
	return text;
}

static bool is_failure(int status)
{
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* Made once, whatever restarts there are. */
static int open_log(const struct services *ss, struct service *s, struct aisbx_error *e)
{
	char name[80];

	if (ss->log_dir < 0 || s->file.fd >= 0)
		return 0;
	snprintf(name, sizeof(name), RUN_SERVICE_LOG, s->what->name);
	return runlog_create(ss->log_dir, name, &s->file, e);
}

static void start(struct services *ss, struct service *s)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	s->restarts += s->state == RUN_SERVICE_RESTARTING;
	s->state = s->ready ? RUN_SERVICE_RUNNING : RUN_SERVICE_STARTING;
	s->up = false;
	s->next_ms = 0;
	s->up_ms = time_ms();
	if (!s->began_us)
		s->began_us = time_us();
	if (open_log(ss, s, &e) < 0 || helper_start(&s->self, &ss->box, s->what->plan_fd, true, &e) < 0)
		fail(ss, s, "join", "could not be started: %s", e.text);
}

static void became_ready(struct service *s)
{
	s->ready = true;
	s->ready_us = time_us();
	s->state = RUN_SERVICE_RUNNING;
	s->next_ms = 0;
	helper_drop(&s->probe);
}

static void came_up(struct service *s)
{
	s->up = true;
	if (s->ready)
		return;
	s->pause_ms = LOOK_MS;
	s->next_ms = time_ms();
	if (s->what->ready == RUN_READY_STARTED)
		became_ready(s);
}

/* Whether it is started again. */
static bool restart_is_wanted(const struct services *ss, const struct service *s)
{
	if (ss->stopping || s->what->restart == RUN_RESTART_NO)
		return false;
	return s->what->restart == RUN_RESTART_ALWAYS || is_failure(s->status);
}

static void restart_later(struct services *ss, struct service *s)
{
	uint64_t now = time_ms(), pause;
	char how[40];

	if (s->up && now - s->up_ms >= STEADY_MS)
		s->in_a_row = 0;
	if (s->in_a_row == RESTARTS_IN_A_ROW) {
		fail(ss, s, "restarts", "ended repeatedly, last with %s; it was started %u times",
		     how_ended(s->status, how, sizeof(how)), s->restarts + 1);
		return;
	}
	pause = (uint64_t)BACKOFF_MS << s->in_a_row;
	s->in_a_row++;
	s->state = RUN_SERVICE_RESTARTING;
	s->next_ms = now + (pause < BACKOFF_MAX_MS ? pause : BACKOFF_MAX_MS);
}

/* By itself, or because it was asked to: then its end is no news. */
static void ended(struct services *ss, struct service *s, int status)
{
	char how[40];

	drain(ss, s);
	helper_drop(&s->self);
	helper_drop(&s->probe);
	s->next_ms = 0;
	if (ss->stopping)
		return;
	s->has_status = true;
	s->status = status;
	if (restart_is_wanted(ss, s)) {
		restart_later(ss, s);
	} else if (!s->ready || is_failure(status)) {
		fail(ss, s, "ended", "ended %s: %s",
		     s->ready ? "before the command could start" : "before it was ready",
		     how_ended(status, how, sizeof(how)));
	} else {
		s->state = RUN_SERVICE_EXITED;
	}
	s->up = false;
}

static void exec_failed(struct services *ss, struct service *s, const char *what, int err)
{
	fail(ss, s, "exec", "%s cannot be executed: %s%s", what, strerror(abs(err)),
	     err < 0 ? " (its directory)" : "");
}

static void hear_service(struct services *ss, struct service *s)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int value;

	switch (helper_hear(&s->self, &ss->box, &value, &e)) {
	case HELPER_NOTHING:
		break;
	case HELPER_STARTED:
		came_up(s);
		break;
	case HELPER_EXEC_FAILED:
		exec_failed(ss, s, "has a program that", value);
		break;
	case HELPER_REFUSED: /* mostly: too many processes. That may pass */
		s->has_status = true;
		s->status = SIGKILL;
		helper_drop(&s->self);
		if (restart_is_wanted(ss, s))
			restart_later(ss, s);
		else
			fail(ss, s, "join", "could not be started: %s", e.text);
		break;
	case HELPER_ENDED:
		ended(ss, s, value);
		break;
	}
}

static void look_again(struct service *s)
{
	helper_drop(&s->probe);
	s->next_ms = time_ms() + s->pause_ms;
	s->pause_ms = s->pause_ms * 2 < LOOK_MAX_MS ? s->pause_ms * 2 : LOOK_MAX_MS;
}

static void hear_probe(struct services *ss, struct service *s)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int value;

	switch (helper_hear(&s->probe, &ss->box, &value, &e)) {
	case HELPER_NOTHING:
	case HELPER_STARTED:
		break;
	case HELPER_EXEC_FAILED:
		exec_failed(ss, s, "has a readiness command that", value);
		break;
	case HELPER_ENDED:
		s->probe_status = value;
		if (value == 0)
			became_ready(s);
		else
			look_again(s);
		break;
	case HELPER_REFUSED:
		look_again(s);
		break;
	}
}

static void look(struct services *ss, struct service *s, uint64_t now)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (s->what->ready == RUN_READY_PORT) {
		if (port_is_open(ss->box.proc, s->what->port))
			became_ready(s);
		else
			look_again(s);
	} else if (helper_start(&s->probe, &ss->box, s->what->ready_plan_fd, false, &e) < 0) {
		fail(ss, s, "join", "cannot be checked: %s", e.text);
	} else {
		s->probe_until_ms = now + PROBE_MS;
		s->next_ms = 0;
	}
}

static void tell_timeout(struct services *ss, struct service *s)
{
	char time_text[32], how[40], last[80] = "";

	if (s->what->ready == RUN_READY_COMMAND && s->probe_status)
		snprintf(last, sizeof(last), ", the last check ended with %s",
			 how_ended(s->probe_status, how, sizeof(how)));
	fail(ss, s, "timeout", "was not ready after %s; it is ready when %.200s%s",
	     str_ms(s->what->ready_ms, time_text, sizeof(time_text)),
	     s->what->ready_text ? s->what->ready_text : "it is running", last);
}

static bool may_start(const struct services *ss, const struct service *s)
{
	for (size_t i = 0; i < s->what->n_after; i++)
		if (!ss->list[s->what->after[i]].ready)
			return false;
	return true;
}

/* When its patience is at an end; 0: it is ready, or nobody waits for it. */
static uint64_t ready_until(const struct services *ss, const struct service *s)
{
	return s->began_us && !s->ready && !ss->going && s->state != RUN_SERVICE_FAILED
		       ? s->began_us / 1000 + s->what->ready_ms
		       : 0;
}

/* What is to be done because of the time. */
static void advance(struct services *ss, struct service *s, uint64_t now)
{
	if (s->state == RUN_SERVICE_WAITING && may_start(ss, s))
		start(ss, s);
	else if (s->state == RUN_SERVICE_RESTARTING && now >= s->next_ms)
		start(ss, s);
	if (s->up && !s->ready && s->probe.control >= 0 && now >= s->probe_until_ms)
		look_again(s);
	if (s->up && !s->ready && s->probe.control < 0 && now >= s->next_ms)
		look(ss, s, now);
	if (ready_until(ss, s) && now >= ready_until(ss, s))
		tell_timeout(ss, s);
}

void services_begin(struct services *ss, const struct box_side *box)
{
	ss->box = *box;
	for (size_t i = 0; i < ss->n; i++)
		advance(ss, &ss->list[i], time_ms());
}

bool services_ready(const struct services *ss)
{
	for (size_t i = 0; i < ss->n; i++)
		if (!ss->list[i].ready)
			return false;
	return !ss->failure;
}

size_t services_poll(const struct services *ss, struct pollfd *p)
{
	for (size_t i = 0; i < ss->n; i++) {
		const struct service *s = &ss->list[i];

		p[0] = (struct pollfd){ .fd = s->self.control, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = s->self.output, .events = POLLIN };
		p[2] = (struct pollfd){ .fd = s->probe.control, .events = POLLIN };
		p += SERVICE_POLLS;
	}
	return ss->n * SERVICE_POLLS;
}

uint64_t services_due(const struct services *ss, bool frozen)
{
	uint64_t next = ss->stop_until_ms ? ss->stop_until_ms : UINT64_MAX;

	for (size_t i = 0; i < ss->n && !ss->stopping && !frozen && ss->box.control >= 0; i++) {
		const struct service *s = &ss->list[i];
		const uint64_t times[] = { ready_until(ss, s), s->next_ms,
					   s->probe.control >= 0 ? s->probe_until_ms : 0 };

		for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++)
			if (times[k] && times[k] < next)
				next = times[k];
	}
	return next == UINT64_MAX ? 0 : next;
}

void services_turn(struct services *ss, const struct pollfd *p, bool frozen)
{
	for (size_t i = 0; i < ss->n; i++, p += SERVICE_POLLS) {
		struct service *s = &ss->list[i];

		if (p[1].revents && p[1].fd == s->self.output)
			read_output(ss, s);
		if (p[0].revents && p[0].fd == s->self.control)
			hear_service(ss, s);
		if (p[2].revents && p[2].fd == s->probe.control)
			hear_probe(ss, s);
	}
	for (size_t i = 0; i < ss->n && !frozen && !ss->stopping && !ss->failure; i++)
		advance(ss, &ss->list[i], time_ms());
}

void services_stop(struct services *ss, uint64_t deadline_ms)
{
	struct jail_message m = { .word = JAIL_SIGNAL, .value = SIGTERM };

	ss->stopping = true;
	ss->stop_until_ms = time_ms() + STOP_MS;
	if (deadline_ms && deadline_ms < ss->stop_until_ms)
		ss->stop_until_ms = deadline_ms;
	for (size_t i = 0; i < ss->n; i++) {
		helper_drop(&ss->list[i].probe);
		if (ss->list[i].self.control >= 0)
			sys_send(ss->list[i].self.control, &m, sizeof(m), NULL, 0);
	}
}

bool services_tell(struct services *ss, struct run_outcome *out)
{
	out->services = ss->n ? calloc(ss->n, sizeof(*out->services)) : NULL;
	out->failure = ss->failure ? strdup(ss->failure) : NULL;
	if ((ss->n && !out->services) || (ss->failure && !out->failure))
		return false;
	for (out->n_services = 0; out->n_services < ss->n; out->n_services++) {
		struct service *s = &ss->list[out->n_services];
		struct run_service_end *end = &out->services[out->n_services];

		drain(ss, s);
		*end = (struct run_service_end){ .name = strdup(s->what->name),
						 .state = s->state,
						 .error = s->error,
						 .restarts = s->restarts,
						 .has_status = s->has_status,
						 .status = s->status,
						 .ready_us = s->ready_us
								     ? (int64_t)(s->ready_us - s->began_us)
								     : -1 };
		ring_tail(&s->log, SERVICE_TAIL_BYTES, &end->tail);
		if (!end->name || end->tail.failed)
			return false;
	}
	return true;
}
