// Asks for the files of the page that the address names, for its first answers and for its picture, while the dashboard is still being read.
// src/api/first-answers.ts hands the answers to whoever asks the same; web/sites.test.ts holds that each of them is taken.
(() => {
  let team = null;
  try {
    team = localStorage.getItem('team');
  } catch (_) {
    // Storage may be blocked; then the dashboard asks by itself.
  }
  // In this browser nobody has been signed in.
  if (!team) return;
  const api = '/f/api/v1';
  const answers = new Map();
  window.firstAnswers = answers;
  const ask = (path) => {
    const answer = fetch(api + path).catch(() => undefined);
    answers.set(api + path, answer);
    return answer;
  };
  const preload = (attributes) => document.head.append(Object.assign(document.createElement('link'), attributes));
  const preloadPicture = (fqdn) =>
    preload({ rel: 'preload', as: 'image', fetchPriority: 'high', href: `${api}/site/${fqdn}/picture` });
  const isHome = location.pathname === '/';
  // The name of a site has a dot, as no other page has that stands there.
  const [, site] = /^\/sites\/([a-z0-9.-]+\.[a-z0-9-]+)$/.exec(location.pathname) ?? [];
  ask('/me');
  if (isHome) {
    // First what takes longest, and has the pictures waiting for it.
    ask(`/site?team_id=${team}&page=1&size=4`)
      .then((answer) => answer?.clone().json())
      .then((page) => {
        for (const { fqdn } of page?.results ?? []) preloadPicture(fqdn);
      })
      .catch(() => {});
    ask(`/team/${team}/attention`);
    ask(`/team/${team}/event?page=1&size=25`);
    ask('/team?page=1&size=100');
  }
  if (site) {
    preloadPicture(site);
    ask(`/site/${site}`);
  }
  const files = document.getElementById('first-files');
  const page = isHome ? 'home' : site ? 'site' : 'other';
  if (files) for (const href of JSON.parse(files.textContent)[page]) preload({ rel: 'modulepreload', href });
})();
