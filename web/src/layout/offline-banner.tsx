import { useSyncExternalStore } from 'react';
import { Alert } from '../ui/alert.tsx';

/** Its place is always there, so that a screen reader tells when it fills; it stays in view wherever one has scrolled to. */
export function OfflineBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine !== false);
  return (
    <div role="status" className="sticky top-16 z-10 lg:top-4">
      {!isOnline && (
        <Alert tone="warn" className="mb-8">
          You are offline. What you see may be old; it goes on by itself when the connection is back.
        </Alert>
      )}
    </div>
  );
}

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}
