// benign: a small web service
const express = require('express');
const app = express();
app.use(express.json());
const items = [];
app.get('/items', (req, res) => res.json(items));
app.post('/items', (req, res) => {
  items.push({ id: items.length + 1, ...req.body });
  res.status(201).json(items.at(-1));
});
app.listen(process.env.PORT || 3000, () => console.log('listening'));
