// benign: a query
const query = `query($n: Int!) { viewer { repositories(first: $n) { nodes { name } } } }`;
type Repo = { name: string };
export async function repos(n: number): Promise<Repo[]> {
  const res = await fetch('https://api.github.com/graphql', {
    method: 'POST',
    headers: { Authorization: `bearer ${process.env.GH_TOKEN}` },
    body: JSON.stringify({ query, variables: { n } }),
  });
  return (await res.json()).data.viewer.repositories.nodes;
}
