// SPDX-License-Identifier: Apache-2.0
'use strict';
const { parentPort, workerData } = require('worker_threads');
if (parentPort)
	parentPort.postMessage(workerData.reduce((a, b) => a + b, 0));
