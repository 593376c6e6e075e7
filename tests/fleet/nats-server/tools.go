// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools names what ../prepare builds, so that go.mod and go.sum cover all of it.
package tools

import _ "github.com/nats-io/nats-server/v2"
