// tricky-benign: sends a file of the project
const fs = require('fs');
const axios = require('axios');
const FormData = require('form-data');
const form = new FormData();
form.append('report', fs.createReadStream('reports/weekly.pdf'));
axios.post('https://intranet.example.com/upload', form, { headers: form.getHeaders() }).then((r) => console.log(r.status));
