/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, names, jobs and records: what they are, and copies of them. */
#include "fleet/core/types.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"

struct fleet_text {
	atomic_size_t holders; /* who drives a state machine may have threads */
	size_t len;
	char data[];
};

struct fleet_text *fleet_text_new(const char *data, size_t len)
{
	struct fleet_text *text;

	if (len > SIZE_MAX / 2)
		fleet_out_of_memory();
	text = fleet_new(sizeof(*text) + len + 1);
	atomic_init(&text->holders, 1);
	text->len = len;
	if (len > 0)
		memcpy(text->data, data, len);
	return text;
}

struct fleet_text *fleet_text_hold(struct fleet_text *text)
{
	if (text)
		atomic_fetch_add(&text->holders, 1);
	return text;
}

void fleet_text_drop(struct fleet_text *text)
{
	if (text && atomic_fetch_sub(&text->holders, 1) == 1)
		free(text);
}

const char *fleet_text_data(const struct fleet_text *text)
{
	return text ? text->data : "";
}

size_t fleet_text_len(const struct fleet_text *text)
{
	return text ? text->len : 0;
}

/* By hand, not by isalnum(): that depends on the locale. */
static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
	       c == '_';
}

bool fleet_is_name(const char *name)
{
	size_t len = 0;

	for (; name[len]; len++)
		if (len + 1 >= FLEET_NAME || !is_of_name(name[len]))
			return false;
	return len > 0;
}

bool fleet_is_class(const char *class)
{
	size_t len = 0;

	for (; class[len]; len++) {
		if (len + 1 >= FLEET_NAME ||
		    (!is_of_name(class[len]) && class[len] != '=' && class[len] != ','))
			return false;
		if (class[len] == ',' && (len == 0 || class[len - 1] == ',' || !class[len + 1]))
			return false; /* a label is missing */
	}
	return len > 0;
}

static bool has_label(const char *labels, const char *label, size_t len)
{
	for (;;) {
		size_t n = strcspn(labels, ",");

		if (n == len && memcmp(labels, label, len) == 0)
			return true;
		labels += n;
		if (!*labels)
			return false;
		labels++;
	}
}

bool fleet_class_fits(const char *class, const char *node, const char *labels)
{
	static const char own[] = "node=";
	const size_t own_len = sizeof(own) - 1;

	if (strcmp(class, FLEET_ANY) == 0)
		return true;
	for (;;) {
		size_t len = strcspn(class, ",");

		if (len >= own_len && memcmp(class, own, own_len) == 0) {
			/* by its name only: a label "node=OTHER" must not bring a node the jobs of another */
			if (strlen(node) != len - own_len ||
			    memcmp(class + own_len, node, len - own_len) != 0)
				return false;
		} else if (len == 0 || !has_label(labels, class, len)) {
			return false;
		}
		class += len;
		if (!*class)
			return true;
		class ++;
	}
}

void fleet_job_copy(const struct fleet_job *job, struct fleet_job *ret)
{
	*ret = *job;
	fleet_text_hold(ret->body);
}

void fleet_job_finish(struct fleet_job *job)
{
	fleet_text_drop(job->body);
	*job = (struct fleet_job){ 0 };
}

void fleet_record_copy(const struct fleet_record *record, struct fleet_record *ret)
{
	*ret = *record;
	fleet_text_hold(ret->result);
}

void fleet_record_finish(struct fleet_record *record)
{
	fleet_text_drop(record->result);
	*record = (struct fleet_record){ 0 };
}

int fleet_token_compare(struct fleet_token a, struct fleet_token b)
{
	if (a.epoch != b.epoch)
		return a.epoch < b.epoch ? -1 : 1;
	return a.revision < b.revision ? -1 : a.revision > b.revision;
}

const char *fleet_phase_name(enum fleet_phase phase)
{
	switch (phase) {
	case FLEET_ABSENT:
		return "absent";
	case FLEET_CLAIMED:
		return "claimed";
	case FLEET_ENDED:
		return "ended";
	case FLEET_DEAD:
		return "dead";
	case FLEET_CANCELLED:
		return "cancelled";
	case FLEET_UNKNOWN:
		return "unknown";
	}
	return "?";
}

const char *fleet_effect_name(enum fleet_effect effect)
{
	switch (effect) {
	case FLEET_REPEATABLE:
		return "repeatable";
	case FLEET_FENCED:
		return "fenced";
	case FLEET_ONCE:
		return "once";
	}
	return "?";
}
