// benign: threads
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
if (isMainThread) {
  const w = new Worker(__filename, { workerData: 42 });
  w.on('message', (r) => console.log('fib', r));
} else {
  const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
  parentPort.postMessage(fib(workerData));
}
