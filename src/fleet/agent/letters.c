/* SPDX-License-Identifier: Apache-2.0 */
/* Answers questions about dead letters: reads or purges the stream, and sends on what came, when it is whole.
 */
#include "fleet/agent/letters.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "fleet/core/memory.h"
#include "fleet/core/names.h"
#include "fleet/wire/wire.h"

#define STREAM "AISBX_DEAD"
/* Of questions to the engine; those of the hub itself are below. */
#define FIRST_NUMBER (UINT64_C(1) << 62)
/* Questions at a time, and how long one is waited for. */
#define MOST    32
#define WAIT_MS 10000
/* Letters of one answer; each is up to 1 MiB until it is read. */
#define PAGE 64

enum asking { ASKING_LIST, ASKING_ONE, ASKING_FORGET };

struct question {
	enum asking what;
	uint64_t number;   /* 0: this one is free */
	uint64_t until_ms; /* then it is given up */
	char reply[256];
	json_t *rows;    /* owned; of LIST */
	struct buf text; /* of ONE */
	uint64_t last;   /* place */
};

struct letters {
	struct bus *bus;
	struct question questions[MOST];
	uint64_t last_number;
};

struct letters *letters_create(struct bus *bus)
{
	struct letters *l = fleet_new(sizeof(*l));

	l->bus = bus;
	l->last_number = FIRST_NUMBER;
	return l;
}

static void finish(struct question *q)
{
	json_decref(q->rows);
	buf_finish(&q->text);
	*q = (struct question){ 0 };
}

void letters_destroy(struct letters *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < MOST; i++)
		finish(&l->questions[i]);
	free(l);
}

static void say(struct letters *l, const char *reply, json_t *said)
{
	char *text = said ? json_dumps(said, JSON_COMPACT) : NULL;

	if (text)
		bus_publish(l->bus, reply, NULL, text, strlen(text));
	free(text);
	json_decref(said);
}

static struct question *new_question(struct letters *l, enum asking what, const char *reply, uint64_t now_ms)
{
	for (size_t i = 0; i < MOST; i++) {
		struct question *q = &l->questions[i];

		if (q->number && q->until_ms > now_ms)
			continue;
		finish(q);
		q->what = what;
		q->number = ++l->last_number;
		q->until_ms = now_ms + WAIT_MS;
		q->rows = json_array();
		snprintf(q->reply, sizeof(q->reply), "%s", reply);
		return q;
	}
	return NULL;
}

static struct question *find(struct letters *l, uint64_t number)
{
	for (size_t i = 0; i < MOST; i++)
		if (number && l->questions[i].number == number)
			return &l->questions[i];
	return NULL;
}

/* "dead.acme" to DEAD and the tenant, which is "*" where there is none. False: it is no question about
 * letters. */
static bool parse(const char *what, enum asking *ret, char ret_tenant[FLEET_NAME])
{
	static const char *const names[] = {
		[ASKING_LIST] = "dead", [ASKING_ONE] = "letter", [ASKING_FORGET] = "forget"
	};
	const size_t len = strcspn(what, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) != len || strncmp(names[i], what, len) != 0)
			continue;
		*ret = (enum asking)i;
		fleet_name_copy(ret_tenant, what[len] ? what + len + 1 : "*");
		return !what[len] || fleet_is_name(what + len + 1);
	}
	return false;
}

/* What is wrong with the question; NULL: nothing. */
static const char *ask_engine(struct letters *l, enum asking what, const char *tenant, const json_t *asked,
			      const char *reply, uint64_t now_ms)
{
	const char *job = json_string_value(json_object_get(asked, "job"));
	const json_int_t after = json_integer_value(json_object_get(asked, "after")),
			 place = json_integer_value(json_object_get(asked, "place"));
	struct question *q;
	char subject[256];

	if ((job && !fleet_is_name(job)) || after < 0 || place < 0 || (what == ASKING_ONE && !job) ||
	    (what == ASKING_FORGET && (place < 1 || place == INT64_MAX)))
		return "the question is none that a hub understands";
	q = new_question(l, what, reply, now_ms);
	if (!q)
		return "the hub has as many questions as it takes; ask again";
	snprintf(subject, sizeof(subject), "aisbx.dead.%s.%s", tenant, job ? job : "*");
	if (what == ASKING_FORGET)
		bus_purge(l->bus, q->number, STREAM, subject, (uint64_t)place);
	else
		bus_read(l->bus, q->number, STREAM, subject, (uint64_t)after, what == ASKING_ONE ? 1 : PAGE);
	return NULL;
}

/* The first line says why; each further one why an attempt failed. */
static json_t *reasons(const struct fleet_record *record, json_t **ret_failed)
{
	const char *text = fleet_text_data(record->result), *at = text + strcspn(text, "\n");
	json_t *why = json_stringn(text, (size_t)(at - text));

	*ret_failed = json_array();
	while (*at) {
		const size_t len = strcspn(++at, "\n");

		json_array_append_new(*ret_failed, json_stringn(at, len));
		at += len;
	}
	return why;
}

static void take_row(struct question *q, const struct bus_event *event)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct wire_letter letter = { 0 };
	json_t *failed = NULL, *why;

	q->last = event->place;
	if (wire_letter_decode(event->data, event->len, &letter, &e) < 0) {
		json_array_append_new(q->rows,
				      json_pack("{s:s, s:I, s:s}", "subject", event->subject, "place",
						(json_int_t)event->place, "reason", e.text));
		return;
	}
	why = reasons(&letter.record, &failed);
	json_array_append_new(q->rows,
			      json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:I}", "job", letter.job.id,
					"tenant", letter.job.tenant, "class", letter.job.class, "effect",
					fleet_effect_name(letter.job.effect), "at_ms",
					(json_int_t)letter.at_wall_ms, "attempts",
					(json_int_t)letter.record.attempt, "reason", why, "failed", failed,
					"place", (json_int_t)event->place));
	wire_letter_finish(&letter);
}

static void take_data(struct question *q, const struct bus_event *event)
{
	if (q->what == ASKING_LIST) {
		take_row(q, event);
		return;
	}
	q->last = event->place;
	buf_addf(&q->text, "{\"place\":%llu,\"letter\":", (unsigned long long)event->place);
	buf_add(&q->text, event->data, event->len);
	buf_addf(&q->text, "}");
}

bool letters_event(struct letters *l, const struct bus_event *event, const char *what, uint64_t now_ms)
{
	char tenant[FLEET_NAME];
	struct question *q;
	const char *wrong;
	enum asking asking;
	json_t *asked;

	if (event->number) {
		q = find(l, event->number);
		if (q)
			take_data(q, event);
		return true;
	}
	if (!what || !parse(what, &asking, tenant))
		return false;
	asked = json_loadb(event->data, event->len, JSON_REJECT_DUPLICATES, NULL);
	wrong = ask_engine(l, asking, tenant, asked, event->reply, now_ms);
	if (wrong)
		say(l, event->reply, json_pack("{s:s}", "error", wrong));
	json_decref(asked);
	return true;
}

static void answer_list(struct letters *l, struct question *q)
{
	const bool more = json_array_size(q->rows) >= PAGE;

	say(l, q->reply,
	    json_pack("{s:O, s:I}", "letters", q->rows, "next", (json_int_t)(more ? q->last : 0)));
}

static void answer_one(struct letters *l, struct question *q)
{
	if (!q->last)
		say(l, q->reply, json_pack("{s:s}", "error", "there is no such letter"));
	else if (q->text.failed || q->text.len > WIRE_MAX)
		say(l, q->reply, json_pack("{s:s}", "error", "the letter is too long to be sent"));
	else
		bus_publish(l->bus, q->reply, NULL, q->text.data, q->text.len);
}

bool letters_answer(struct letters *l, const struct fleet_answer *a)
{
	struct question *q = find(l, a->number);

	if (a->number < FIRST_NUMBER)
		return false;
	if (!q)
		return true;
	if (a->kind != FLEET_OK)
		say(l, q->reply,
		    json_pack("{s:s}", "error", "the hub could not read the dead letters; ask again"));
	else if (q->what == ASKING_LIST)
		answer_list(l, q);
	else if (q->what == ASKING_ONE)
		answer_one(l, q);
	else
		say(l, q->reply, json_pack("{s:b}", "forgotten", 1));
	finish(q);
	return true;
}
