// benign: typed state
type Action = { type: 'inc'; by: number } | { type: 'reset' };
interface State { readonly count: number }
export function reducer(s: State, a: Action): State {
  switch (a.type) {
    case 'inc': return { ...s, count: s.count + a.by };
    case 'reset': return { count: 0 };
  }
}
const log: State[] = [{ count: 0 }];
for (const a of [{ type: 'inc', by: 2 }, { type: 'reset' }] as Action[]) log.push(reducer(log[log.length - 1], a));
console.log(log);
