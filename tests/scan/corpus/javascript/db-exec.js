// tricky-benign: exec of a database
const Database = require('better-sqlite3');
const db = new Database('app.db');
db.exec('CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT)');
db.prepare('INSERT INTO users (name) VALUES (?)').run('Ada');
db.exec('DROP TABLE IF EXISTS old_users');
console.log(db.prepare('SELECT * FROM users').all());
