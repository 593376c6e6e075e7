/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx-image does not outlive the aisbx that asked it. */
#ifndef HELPERS_IMAGE_PARENT_H
#define HELPERS_IMAGE_PARENT_H

/*
 * From now on this process ends with its parent; if that has ended already, now. Its locks are gone with it:
 * somebody else may remove what this one would still write. Again after each change of ids, which clears it.
 */
void end_with_parent(void);

#endif
