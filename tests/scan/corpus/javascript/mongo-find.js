// benign: a query
const { MongoClient } = require('mongodb');
async function main() {
  const client = new MongoClient(process.env.MONGO_URL);
  await client.connect();
  const docs = await client.db('shop').collection('orders').find({ total: { $gt: 100 } }).toArray();
  console.table(docs);
  await client.close();
}
main().catch((e) => { console.error(e); process.exit(1); });
