// tricky-benign: loads the handler a configuration names
import config from './config.json' with { type: 'json' };
const { default: handler } = await import(`./handlers/${config.handler}.js`);
await handler(config.options);
