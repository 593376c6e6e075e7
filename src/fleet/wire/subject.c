/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects of what is sent and kept, and whether a message may come on one. */
#include "fleet/wire/subject.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define JOBS "aisbx.jobs."

/* "A.B", "A.B.C" or "A.B.C.D" of words that were checked. */
static int join(char ret[SUBJECT_MAX], const char *first, const char *a, const char *b, const char *c)
{
	int n = snprintf(ret, SUBJECT_MAX, "aisbx.%s.%s%s%s%s%s", first, a, b ? "." : "", b ? b : "",
			 c ? "." : "", c ? c : "");

	return n < 0 || n >= SUBJECT_MAX ? -EINVAL : 0;
}

static int to_hubs(const struct fleet_message *m, char ret[SUBJECT_MAX])
{
	if (!fleet_is_name(m->from))
		return -EINVAL;
	return join(ret, "hub", fleet_message_name(m->kind), m->from, NULL);
}

static int to_node(const struct fleet_message *m, char ret[SUBJECT_MAX])
{
	if (!fleet_is_name(m->to))
		return -EINVAL;
	return join(ret, "node", m->to, fleet_message_name(m->kind), NULL);
}

static int to_submitter(const struct fleet_message *m, char ret[SUBJECT_MAX])
{
	if (!fleet_is_name(m->tenant) || !fleet_is_name(m->to))
		return -EINVAL;
	return join(ret, "tenant", m->tenant, m->to, fleet_message_name(m->kind));
}

int subject_of_message(const struct fleet_message *m, char ret[SUBJECT_MAX])
{
	switch (m->kind) {
	case FLEET_MSG_BEAT:
	case FLEET_MSG_RETURNED:
		return to_hubs(m, ret);
	case FLEET_MSG_ENDED:
		return m->to[0] ? to_submitter(m, ret) : to_hubs(m, ret);
	case FLEET_MSG_BEAT_OK:
	case FLEET_MSG_OFFER:
		return to_node(m, ret);
	case FLEET_MSG_CANCEL:
		if (m->to[0])
			return to_node(m, ret);
		return fleet_is_name(m->tenant) ? join(ret, "cancel", m->tenant, NULL, NULL) : -EINVAL;
	case FLEET_MSG_MAY_I:
		return to_submitter(m, ret);
	case FLEET_MSG_GRANT:
		if (!fleet_is_name(m->to) || !fleet_is_name(m->tenant))
			return -EINVAL;
		return join(ret, "grant", m->to, m->tenant, NULL);
	case FLEET_MSG_N:
		break;
	}
	return -EINVAL;
}

bool subject_fits_message(const char *subject, const struct fleet_message *m)
{
	char due[SUBJECT_MAX];

	return subject_of_message(m, due) == 0 && strcmp(subject, due) == 0;
}

int subject_of_lane(const char *class, const char *tenant, char ret[SUBJECT_MAX])
{
	return fleet_is_class(class) && fleet_is_name(tenant) ? join(ret, "jobs", class, tenant, NULL)
							      : -EINVAL;
}

int subject_of_record(const char *tenant, const char *job, char ret[SUBJECT_MAX])
{
	return fleet_is_name(tenant) && fleet_is_name(job) ? join(ret, "state", tenant, job, NULL) : -EINVAL;
}

int subject_of_dead(const char *tenant, const char *job, char ret[SUBJECT_MAX])
{
	return fleet_is_name(tenant) && fleet_is_name(job) ? join(ret, "dead", tenant, job, NULL) : -EINVAL;
}

bool subject_parse_lane(const char *subject, char ret_class[FLEET_NAME], char ret_tenant[FLEET_NAME])
{
	char class[FLEET_NAME] = "";
	const char *tenant;
	size_t len;

	if (strncmp(subject, JOBS, strlen(JOBS)) != 0)
		return false;
	subject += strlen(JOBS);
	len = strcspn(subject, ".");
	tenant = subject + len + 1;
	if (len >= FLEET_NAME || subject[len] != '.')
		return false;
	memcpy(class, subject, len);
	if (!fleet_is_class(class) || !fleet_is_name(tenant))
		return false;
	memcpy(ret_class, class, len + 1);
	memcpy(ret_tenant, tenant, strlen(tenant) + 1);
	return true;
}
