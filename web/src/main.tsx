import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { LucideProvider } from 'lucide-react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { whenSignedOut } from './api/client.ts';
import { queryClient } from './api/query-client.ts';
import { leaveTo, meQuery } from './api/session.ts';
import { beginEarly, createAppRouter } from './router.tsx';
import { Toasts } from './ui/toast.tsx';

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
beginEarly(router);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LucideProvider size={16} strokeWidth={1.75} className="shrink-0">
        <RouterProvider router={router} />
        <Toasts />
      </LucideProvider>
    </QueryClientProvider>
  </StrictMode>,
);
