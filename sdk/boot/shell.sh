# SPDX-License-Identifier: Apache-2.0
# Runs the program on standard input inside a box; all of it is read first, so that no command of it reads the rest.
# tools/sdk-types puts it into the SDKs.
eval "$(cat)"
