// benign: an API with a key from the environment
const axios = require('axios');
const client = axios.create({
  baseURL: 'https://api.openai.com/v1',
  headers: { Authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
});
async function ask(prompt) {
  const { data } = await client.post('/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: prompt }] });
  return data.choices[0].message.content;
}
module.exports = { ask };
