/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a request or an answer. */
#include "net/tls/message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void wipe(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

void message_finish(struct message *m)
{
	for (size_t i = 0; i < m->n_fields; i++) {
		free(m->fields[i].name);
		wipe(m->fields[i].value);
	}
	free(m->method);
	wipe(m->target);
	free(m->authority);
	m->method = m->target = m->authority = NULL;
	m->status = 0;
	m->n_fields = m->bytes = 0;
}

bool message_set(char **text, const char *value, size_t len)
{
	char *copy = memchr(value, '\0', len) ? NULL : strndup(value, len);

	if (!copy)
		return false;
	wipe(*text);
	*text = copy;
	return true;
}

bool message_add(struct message *m, const char *name, size_t name_len, const char *value, size_t value_len)
{
	struct field *f = &m->fields[m->n_fields];

	while (value_len && (*value == ' ' || *value == '\t'))
		value++, value_len--;
	while (value_len && (value[value_len - 1] == ' ' || value[value_len - 1] == '\t'))
		value_len--;
	if (m->n_fields == MESSAGE_MAX_FIELDS || m->bytes + name_len + value_len > MESSAGE_MAX_BYTES)
		return false;
	*f = (struct field){ 0 };
	if (!message_set(&f->name, name, name_len) || !message_set(&f->value, value, value_len)) {
		free(f->name);
		return false;
	}
	m->n_fields++;
	m->bytes += name_len + value_len;
	return true;
}

const char *message_get(const struct message *m, const char *name)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (!strcasecmp(m->fields[i].name, name))
			return m->fields[i].value;
	return NULL;
}

void message_remove_at(struct message *m, size_t i)
{
	free(m->fields[i].name);
	wipe(m->fields[i].value);
	m->n_fields--;
	memmove(&m->fields[i], &m->fields[i + 1], (m->n_fields - i) * sizeof(m->fields[0]));
}

void message_remove(struct message *m, const char *name)
{
	for (size_t i = m->n_fields; i-- > 0;)
		if (!strcasecmp(m->fields[i].name, name))
			message_remove_at(m, i);
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (*list) {
		size_t len;

		list += strspn(list, " \t,");
		len = strcspn(list, ",");
		while (len && (list[len - 1] == ' ' || list[len - 1] == '\t'))
			len--;
		if (len == n && !strncasecmp(list, word, n))
			return true;
		list += strcspn(list, ",");
	}
	return false;
}

bool message_has_word(const struct message *m, const char *name, const char *word)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (!strcasecmp(m->fields[i].name, name) && has_word(m->fields[i].value, word))
			return true;
	return false;
}
