/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the person at the terminal, in a process of its own: the run goes on meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "run/network.h"
#include "sys/sys.h"

enum { SAID_YES, SAID_NO, NOBODY };

/* One after the other; then a box that only wants to wear somebody down is not heard any more. */
#define NOES_MAX 5

/* The smallest rule that allows it. */
static void write_rule(const struct net_row *row, char *ret, size_t cap)
{
	char address[64];

	if (row->name[0]) {
		snprintf(ret, cap, "net:egress:%s:%u", row->name, row->port);
		return;
	}
	egress_address_text(&row->to, address, sizeof(address));
	snprintf(ret, cap, row->to.family == 4 ? "net:egress:%s/32:%u" : "net:egress:[%s]/128:%u", address,
		 row->port);
}

/* The question. */
static void write_question(const struct net_row *row, char *ret, size_t cap)
{
	char rule[EGRESS_RULE_MAX];

	if (row->act == NET_AGENT) {
		snprintf(ret, cap, "the box wants your ssh key '%s' to sign %s. Allow it this once?",
			 row->name, row->rule);
		return;
	}
	write_rule(row, rule, sizeof(rule));
	snprintf(ret, cap, "the box wants to reach %s. Allow it for this box?", rule + strlen("net:egress:"));
}

static _Noreturn void ask_at(const char *question)
{
	scoped(drop_fd) int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	char line[64] = "";
	sigset_t none;
	ssize_t n;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (tty < 0 || tcgetpgrp(tty) != getpgrp())
		_exit(NOBODY);
	tcflush(tty, TCIFLUSH);
	dprintf(tty, "\naisbx: %s [y/N] ", question);
	n = read(tty, line, sizeof(line) - 1);
	_exit(n > 0 && (line[0] == 'y' || line[0] == 'Y') ? SAID_YES : SAID_NO);
}

/* Said is said: of this signature only. */
bool network_queue(struct network *n, const struct net_message *m)
{
	if (!n->asks)
		n->asks = calloc(NETWORK_MAX_ASKS, sizeof(*n->asks));
	if (!n->asks || n->n_asks == NETWORK_MAX_ASKS)
		return false;
	n->asks[n->n_asks++] = *m;
	return true;
}

static void answer_agent(struct network *n, const struct net_message *m, int said)
{
	struct net_row row = m->row;

	/* Not what it was for, which the box chooses: rows are counted, and it could make any number. */
	strcpy(row.rule, "net:agent:ssh");
	row.verdict = said == SAID_YES ? NET_ALLOWED : NET_REFUSED;
	row.reason = said == SAID_YES ? NET_NO_REASON : said == SAID_NO ? NET_DENIED : NET_NOBODY;
	n->agents.noes = said == SAID_NO ? n->agents.noes + 1 : 0;
	network_note(n, &row);
	agents_answer(&n->agents, m->id, said == SAID_YES);
}

void network_asked_to_sign(struct network *n, const struct net_message *m)
{
	struct net_message copy = *m;

	copy.row.act = NET_AGENT;
	copy.row.name[sizeof(copy.row.name) - 1] = copy.row.rule[sizeof(copy.row.rule) - 1] = '\0';
	if (n->agents.noes >= NOES_MAX || !network_queue(n, &copy))
		answer_agent(n, &copy, SAID_NO);
}

static void answer_broker(struct network *n, const struct net_message *m, int said)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char rule[EGRESS_RULE_MAX];

	write_rule(&m->row, rule, sizeof(rule));
	if (network_answer(n, m->id, said == SAID_YES ? 1 : said == SAID_NO ? 0 : -1, rule, &e) < 0)
		log_debug("answer the broker: %s", e.text);
}

static void take_first(struct network *n)
{
	memmove(n->asks, n->asks + 1, --n->n_asks * sizeof(*n->asks));
}

void network_ask_person(struct network *n)
{
	char question[EGRESS_RULE_MAX + EGRESS_NAME_MAX + 128];

	if (n->asker)
		return;
	while (n->n_asks && n->asks[0].row.act == NET_AGENT && n->agents.noes >= NOES_MAX) {
		answer_agent(n, &n->asks[0], SAID_NO);
		take_first(n);
	}
	if (!n->n_asks)
		return;
	write_question(&n->asks[0].row, question, sizeof(question));
	n->asker = fork();
	if (n->asker == 0)
		ask_at(question);
	if (n->asker > 0)
		n->asker_ends = sys_pidfd_open(n->asker);
	if (n->asker < 0 || n->asker_ends < 0)
		network_hear_person(n); /* then the answer is no */
}

void network_hear_person(struct network *n)
{
	int status = 0, said = NOBODY;

	if (n->asker > 0 && waitpid(n->asker, &status, n->asker_ends < 0 ? 0 : WNOHANG) != n->asker)
		return;
	if (n->asker > 0)
		said = WIFEXITED(status) ? WEXITSTATUS(status) : SAID_NO;
	close_fd(&n->asker_ends);
	n->asker = 0;
	if (n->asks[0].row.act == NET_AGENT)
		answer_agent(n, &n->asks[0], said);
	else
		answer_broker(n, &n->asks[0], said);
	take_first(n);
	network_ask_person(n);
}
