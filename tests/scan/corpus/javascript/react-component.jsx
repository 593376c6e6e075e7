// benign: a component
import React, { useEffect, useState } from 'react';
export default function Users({ url }) {
  const [users, setUsers] = useState([]);
  useEffect(() => {
    fetch(url).then((r) => r.json()).then(setUsers).catch(console.error);
  }, [url]);
  return (
    <ul className="users">
      {users.map((u) => <li key={u.id} onClick={() => alert(u.name)}>{u.name}</li>)}
    </ul>
  );
}
