/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what is said between a client of ssh-agent and the agent (draft-ietf-sshm-ssh-agent): what may pass,
 * what a person is asked about, and in which words. Pure; no system calls. The client is hostile.
 */
#ifndef NET_SSH_AGENT_H
#define NET_SSH_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame is the length of its body, 4 bytes, and the body; the longest body is that of OpenSSH. */
#define SSH_AGENT_HEAD     4u
#define SSH_AGENT_BODY_MAX (256u * 1024u)
/* Of what people are told, with its NUL. */
#define SSH_AGENT_TEXT 128

/* First byte of a body. */
enum ssh_agent_type {
	SSH_AGENT_FAILURE = 5,
	SSH_AGENT_LIST = 11, /* which keys there are */
	SSH_AGENT_KEYS = 12, /* the answer */
	SSH_AGENT_SIGN = 13,
};

enum ssh_agent_verdict {
	SSH_AGENT_REFUSE, /* changes the agent, or is nothing that we know */
	SSH_AGENT_PASS,
	SSH_AGENT_ASK, /* signs */
};

/* What is to be signed. */
struct ssh_agent_sign {
	const uint8_t *key; /* borrowed, from the body */
	size_t key_len;
	char about[SSH_AGENT_TEXT]; /* what it is good for, in printable ASCII: "a login as 'git'" */
};

/* The length of the body that follows HEAD; 0: no frame has such a head. */
size_t ssh_agent_body(const uint8_t head[SSH_AGENT_HEAD]);
/* What becomes of a request; RET is set for SSH_AGENT_ASK only. */
enum ssh_agent_verdict ssh_agent_judge(const uint8_t *body, size_t len, struct ssh_agent_sign *ret);
/* What the person calls KEY, from the agent's list; false: the list does not have it, or is none. */
bool ssh_agent_name(const uint8_t *list, size_t len, const uint8_t *key, size_t key_len,
		    char ret[SSH_AGENT_TEXT]);

#endif
