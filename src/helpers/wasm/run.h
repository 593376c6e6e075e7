/* SPDX-License-Identifier: Apache-2.0 */
/* "aisbx-wasm run": one program, from its start to the end of this process. Its words are for the driver to
 * write. */
#ifndef HELPERS_WASM_RUN_H
#define HELPERS_WASM_RUN_H

/* The exit status of this process. */
int run_main(int argc, char **argv);

#endif
