import './styles.css';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { whenSignedOut } from './api/client.ts';
import { createQueryClient } from './api/query-client.ts';
import { leaveTo, meQuery } from './api/session.ts';
import { App } from './app.tsx';
import { beginEarly, createAppRouter } from './router.tsx';
import { drawnFor, tellClock, visit } from './visit.ts';

tellClock();
const queryClient = createQueryClient();
whenSignedOut((isForeignCookie) => {
  // Whoever was not signed in anyway stays where they are.
  if (!queryClient.getQueryData(meQuery.queryKey)) return;
  if (isForeignCookie) {
    // The page came with who is there, by a cookie that was alone on its own path. To sign in would change nothing: the page is drawn anew and says so.
    queryClient.removeQueries({ queryKey: meQuery.queryKey });
    return void router.invalidate();
  }
  const next = `${location.pathname}${location.search}`;
  leaveTo(`/sign-in?${new URLSearchParams({ next })}`);
});
const router = createAppRouter(queryClient);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
const app = <App queryClient={queryClient} router={router} />;
if (root.firstChild) void takeOver(root);
else {
  void beginEarly(router);
  createRoot(root).render(app);
}

/** The server has drawn the page already (server.tsx): nothing moves, and from now on it does what is clicked. */
async function takeOver(drawn: HTMLElement): Promise<void> {
  await beginEarly(router);
  await router.load();
  // Somebody may travel between two visits, or choose another team in another tab.
  if (drawn.dataset.drawnFor === drawnFor(visit())) hydrateRoot(drawn, app);
  else createRoot(drawn).render(app);
  drawn.inert = false;
}
