/* SPDX-License-Identifier: Apache-2.0 */
/* What the system and the person say in queue.yaml. */
#ifndef BOX_QUEUE_SETTINGS_H
#define BOX_QUEUE_SETTINGS_H

#include "policy/queue_policy.h"

/* Of this process, whoever asks it for a run. Without a file only the machine's memory limits anything. */
int queue_settings_read(struct queue_policy *ret, struct aisbx_error *e);

#endif
