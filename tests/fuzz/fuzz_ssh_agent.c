/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of requests to ssh-agent: only the list of keys passes, a key lies within its request,
 * and what people are told is printable.
 */
#include <stdlib.h>
#include <string.h>

#include "net/ssh_agent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void check_text(const char *text)
{
	size_t n = strnlen(text, SSH_AGENT_TEXT);

	must(n && n < SSH_AGENT_TEXT);
	for (size_t i = 0; i < n; i++)
		must(text[i] >= ' ' && text[i] <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *exact = calloc(1, len ? len : 1);
	struct ssh_agent_sign sign;
	char name[SSH_AGENT_TEXT];

	must(exact != NULL);
	memcpy(exact, data, len);
	if (len >= SSH_AGENT_HEAD)
		must(ssh_agent_body(exact) <= SSH_AGENT_BODY_MAX);
	switch (ssh_agent_judge(exact, len, &sign)) {
	case SSH_AGENT_PASS:
		must(len == 1 && exact[0] == SSH_AGENT_LIST);
		break;
	case SSH_AGENT_ASK:
		must(exact[0] == SSH_AGENT_SIGN && sign.key >= exact &&
		     sign.key + sign.key_len <= exact + len);
		check_text(sign.about);
		if (ssh_agent_name(exact, len, sign.key, sign.key_len, name))
			__builtin_trap(); /* nothing is both a request and a list */
		break;
	case SSH_AGENT_REFUSE:
		break;
	}
	/* As a list, whose first key is looked for. */
	if (len > 9 && ssh_agent_name(exact, len, exact + 9, exact[8] < len - 9 ? exact[8] : len - 9, name))
		check_text(name);
	free(exact);
	return 0;
}
