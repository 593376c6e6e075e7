// benign: settings from the environment
require('dotenv').config();
const required = ['DATABASE_URL', 'SECRET_KEY'];
const missing = required.filter((k) => !process.env[k]);
if (missing.length) {
  console.error(`Missing variables: ${missing.join(', ')}`);
  process.exit(1);
}
module.exports = { port: Number(process.env.PORT ?? 8080), db: process.env.DATABASE_URL, debug: process.env.NODE_ENV !== 'production' };
