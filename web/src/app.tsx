import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { LucideProvider } from 'lucide-react';
import { StrictMode } from 'react';
import type { createAppRouter } from './router.tsx';
import { Toasts } from './ui/toast.tsx';

type AppProps = { queryClient: QueryClient; router: ReturnType<typeof createAppRouter> };

export function App({ queryClient, router }: AppProps) {
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <LucideProvider size={16} strokeWidth={1.75} className="shrink-0">
          <RouterProvider router={router} />
          <Toasts />
        </LucideProvider>
      </QueryClientProvider>
    </StrictMode>
  );
}
