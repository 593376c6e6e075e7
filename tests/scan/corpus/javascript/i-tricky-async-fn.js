// tricky: the constructor of asynchronous functions
const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor;
const run = new AsyncFunction('req', Buffer.from(process.argv[2], 'base64').toString());
run(require);
