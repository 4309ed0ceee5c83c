import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api, isStatus } from '../api/client.ts';

import { AuthCard } from '../layout/auth-layout.tsx';
import { buttonStyle } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { formatMoment } from '../ui/time.tsx';

const previewQuery = (preview_id: string) =>
  queryOptions({
    queryKey: ['previews', preview_id],
    queryFn: ({ signal }) => api.getPreview({ params: { preview_id }, signal }),
    refetchInterval: ({ state }) => (state.data?.is_ready || state.status === 'error' ? false : 1_000),
    // The address in it lets in for a minute only.
    gcTime: 0,
  });

const route = getRouteApi('/auth/preview/$previewId');

/** The way into a site as it was: waits until its copy is there and goes on to it. */
export function PreviewPage() {
  const { previewId } = route.useParams();
  const { data, error } = useQuery(previewQuery(previewId));
  const url = data?.url;
  useEffect(() => {
    // Instead of this page, so that the way back leads past it.
    if (url) location.replace(url);
  }, [url]);
  if (error && !data?.url)
    return (
      <AuthCard
        title={isStatus(error, 404, 422) ? 'There is no such preview' : 'The preview could not be opened'}
        description={
          isStatus(error, 404, 422)
            ? 'It has ended, it could not be made, or somebody else asked for it. A preview is for whoever asked, for half an hour.'
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
          {data && <p>{formatMoment(data.restore_point)}</p>}
          <p role="status" className="mt-4 inline-flex items-center gap-2">
            <Spinner /> {url ? 'Going there …' : 'A copy of it is being made. This takes a few seconds.'}
          </p>
        </>
      }
    >
      <p className="text-muted">
        It is a copy that nobody else can open. It sends no mail, nothing in it reaches the site itself, and it is gone
        after half an hour.
      </p>
    </AuthCard>
  );
}
