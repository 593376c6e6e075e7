/* SPDX-License-Identifier: Apache-2.0 */
/* Reads queue.yaml. Pure: the file is opened by others. */
#include "policy/queue_policy.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "policy/yaml_doc.h"

#define MAX_RUNS    1000u
#define MAX_RATE    100000u
#define MAX_WAIT_MS (7ull * 86400000)
/* Of a machine's memory, as far as it is not more than the second. */
#define SHARE_OF_MEMORY 20
#define ENOUGH_MEMORY   (512ull << 20)

static const struct doc_shape runs_shape = { .kind = DOC_NUMBER, .most = MAX_RUNS };
static const struct doc_shape rate_shape = { .kind = DOC_NUMBER, .most = MAX_RATE };

static int read_at_once(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_number(r, n, "at_once", &runs_shape, &((struct queue_policy *)into)->at_once);
}

static int read_of_one(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_number(r, n, "of_one_caller", &runs_shape, &((struct queue_policy *)into)->of_one);
}

static int read_a_minute(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_number(r, n, "a_minute", &rate_shape, &((struct queue_policy *)into)->a_minute);
}

static int read_memory(struct doc *r, const yaml_node_t *n, void *into)
{
	struct queue_policy *p = into;
	const char *text = doc_text(r, n, "free_memory");

	if (!text)
		return r->e->code;
	if (!str_to_size(text, &p->free_memory))
		return doc_complain(r, n, "'%.40s' is no size; free_memory is one such as 512m or 2g, or 0",
				    text);
	p->has_memory = true;
	return 0;
}

static int read_longest(struct doc *r, const yaml_node_t *n, void *into)
{
	struct queue_policy *p = into;
	const char *text = doc_text(r, n, "longest_wait");

	if (!text)
		return r->e->code;
	if (!strcmp(text, "0")) {
		p->longest_ms = 0;
		return 0;
	}
	return doc_time(r, n, "longest_wait", MAX_WAIT_MS, &p->longest_ms);
}

static const struct doc_key keys[] = {
	{ .name = "at_once", .read = read_at_once },      { .name = "of_one_caller", .read = read_of_one },
	{ .name = "a_minute", .read = read_a_minute },    { .name = "free_memory", .read = read_memory },
	{ .name = "longest_wait", .read = read_longest }, { .name = NULL },
};

int queue_policy_parse(const char *text, size_t len, const char *file, struct queue_policy *p,
		       struct aisbx_error *e)
{
	struct doc r = { .file = file, .e = e };

	return doc_read(&r, text, len, keys, p);
}

uint64_t queue_policy_memory(const struct queue_policy *p, uint64_t total)
{
	if (p->has_memory)
		return p->free_memory;
	return total / SHARE_OF_MEMORY < ENOUGH_MEMORY ? total / SHARE_OF_MEMORY : ENOUGH_MEMORY;
}

bool queue_policy_counts(const struct queue_policy *p)
{
	return p->at_once || p->of_one || p->a_minute;
}
