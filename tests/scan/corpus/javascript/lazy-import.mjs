// benign: loads a part when it is needed
const routes = { '/': () => import('./pages/home.js'), '/about': () => import('./pages/about.js') };
export async function go(url) {
  const page = await (routes[url] ?? routes['/'])();
  page.render(document.getElementById('app'));
}
