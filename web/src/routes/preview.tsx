import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Preview } from '#sdk';
import { api, isStatus } from '../api/client.ts';
import { AuthCard } from '../layout/auth-layout.tsx';
import { Button, buttonStyle } from '../ui/button.tsx';
import { dateFormat } from '../ui/clock.ts';
import { messageOf } from '../ui/form.tsx';
import { formatMoment } from '../ui/format-time.ts';
import { HistoryIcon, OpenIcon } from '../ui/icons.ts';
import { useTitle } from '../ui/page.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Moment, useNowMs } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

const previewQuery = (preview_id: string) =>
  queryOptions({
    queryKey: ['previews', preview_id],
    queryFn: ({ signal }) => api.getPreview({ params: { preview_id }, signal }),
    refetchInterval: ({ state }) => (state.data?.is_ready || state.status === 'error' ? false : 1_000),
    refetchOnWindowFocus: false,
    // The address in it lets in for a minute only.
    gcTime: 0,
  });

const route = getRouteApi('/auth/preview/$previewId');

/** A site as it was: waits until its copy is there, and shows it below a bar of our own. */
export function PreviewPage() {
  const { previewId } = route.useParams();
  const { data, error } = useQuery(previewQuery(previewId));
  if (data?.url) return <Browsed preview={data} url={data.url} />;
  if (error)
    return (
      <AuthCard
        title={isStatus(error, 404, 422) ? 'There is no such preview' : 'The preview could not be opened'}
        description={
          isStatus(error, 404, 422)
            ? 'It has ended, or somebody else opened it. A preview is for whoever asked for it, for half an hour.'
            : messageOf(error)
        }
      >
        <Link to="/sites" className={buttonStyle({ size: 'lg', className: 'w-full' })}>
          Go to your sites
        </Link>
      </AuthCard>
    );
  return (
    <AuthCard
      title="Opening the site as it was"
      description={
        <>
          {data && (
            <p>
              <Moment iso={data.restore_point} />
            </p>
          )}
          <p role="status" className="mt-4 inline-flex items-center gap-2">
            <Spinner /> Making a copy. This takes a few seconds.
          </p>
        </>
      }
    >
      <p className="text-muted">
        Only you can open this copy. It sends no emails, nothing you do in it reaches the site, and it is gone after
        half an hour.
      </p>
    </AuthCard>
  );
}

/** The address lets in for a minute, so each way in gets a new one. */
async function openAlone(preview_id: string): Promise<void> {
  const tab = window.open('about:blank', '_blank');
  try {
    const { url } = await api.getPreview({ params: { preview_id } });
    if (!tab || url === null) return tab?.close();
    tab.opener = null;
    tab.location.replace(url);
  } catch (error) {
    tab?.close();
    toast.error(messageOf(error));
  }
}

const clock = dateFormat({ hour: 'numeric', minute: '2-digit' });

/**
 * The site is a stranger here: it has a host of its own, can not leave its frame, and is told nothing. The bar is ours and around it, so that no page can
 * change it, hide it or be broken by it.
 */
function Browsed({ preview, url }: { preview: Preview; url: string }) {
  // The address lets in once; whatever is asked again later must not load the frame anew.
  const [first] = useState(url);
  const { fqdn, is_of_stage, restore_point, expires_at } = preview;
  const isOver = useNowMs() >= Date.parse(expires_at);
  const [isThere, setThere] = useState(false);
  useTitle(`${fqdn} as of ${formatMoment(restore_point)}`);
  return (
    <div data-whole-window className="fixed inset-0 z-40 flex flex-col bg-bg">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-surface px-4 py-2.5">
        <HistoryIcon className="text-accent-text max-sm:hidden" />
        <p className="min-w-0 flex-1 basis-64">
          <strong className="font-medium">{fqdn}</strong>
          {is_of_stage && ' (staging)'} as it was at{' '}
          <strong className="whitespace-nowrap font-medium">
            <Moment iso={restore_point} />
          </strong>
          <span className="block text-muted text-xs">
            {isOver
              ? 'This preview has ended.'
              : `A copy for you alone, until ${clock.format(new Date(expires_at))}. Nothing you do here reaches the site.`}
          </span>
        </p>
        <Button
          variant="secondary"
          size="sm"
          disabled={isOver}
          title="Without this bar"
          className="max-sm:flex-1"
          onClick={() => void openAlone(preview.id)}
        >
          <OpenIcon className="max-sm:hidden" /> Open in a new tab
        </Button>
        <Link
          to="/sites/$fqdn/time"
          params={{ fqdn }}
          search={{ ...(is_of_stage && { env: 'staging' as const }), at: restore_point, restore: true }}
          className={buttonStyle({ size: 'sm', className: 'max-sm:flex-1' })}
        >
          <HistoryIcon className="max-sm:hidden" /> Restore this minute …
        </Link>
      </header>
      {!isThere && (
        <p role="status" className="flex items-center justify-center gap-2 py-16 text-muted">
          <Spinner /> The copy is waking up …
        </p>
      )}
      <iframe
        title={`${fqdn} as it was`}
        src={first}
        onLoad={() => setThere(true)}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals"
        referrerPolicy="no-referrer"
        className="min-h-0 w-full flex-1 border-0"
      />
    </div>
  );
}
