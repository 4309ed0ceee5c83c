// Asks the first questions of the page that the address names, and for its picture, while the files of the dashboard are still being read.
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
  const ask = (path) =>
    answers.set(
      api + path,
      fetch(api + path).catch(() => undefined),
    );
  ask('/me');
  if (location.pathname === '/') {
    ask('/team?page=1&size=100');
    ask(`/team/${team}/attention`);
    ask(`/team/${team}/event?page=1&size=25`);
    ask(`/site?team_id=${team}&page=1&size=4`);
  }
  // The name of a site has a dot, as no other page has that stands there.
  const site = /^\/sites\/([a-z0-9.-]+\.[a-z0-9-]+)$/.exec(location.pathname);
  if (site) {
    const picture = document.createElement('link');
    Object.assign(picture, {
      rel: 'preload',
      as: 'image',
      fetchPriority: 'high',
      href: `${api}/site/${site[1]}/picture`,
    });
    document.head.append(picture);
    ask(`/site/${site[1]}`);
  }
})();
