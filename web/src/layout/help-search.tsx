import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { DocsIcon } from '../ui/icons.ts';
import { useSearchText } from '../ui/use-settled.ts';

type Found = { title: string; heading: string; address: string; excerpt: string };

const SHOWN = 4;

const helpQuery = (words: string) =>
  queryOptions({
    queryKey: ['help', words],
    queryFn: async ({ signal }): Promise<Found[]> => {
      const headers = { accept: 'application/json' };
      const answer = await fetch(`/docs/search?q=${encodeURIComponent(words)}`, { headers, signal });
      if (!answer.ok) return [];
      return ((await answer.json()) as { results: Found[] }).results.slice(0, SHOWN);
    },
    enabled: words.trim().length > 3,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });

/**
 * What the docs say to words that somebody is about to ask. In a tab of its own, so that nothing that was typed is lost; on a phone so few that the
 * form stays in sight.
 */
export function HelpResults({ words, title }: { words: string; title: string }) {
  const settled = useSearchText(words);
  const { data = [] } = useQuery(helpQuery(settled));
  if (settled.trim().length <= 3 || data.length === 0) return null;
  return (
    <section aria-label={title} className="rounded-lg border border-line">
      <h3 className="border-line border-b px-4 py-2 font-medium text-muted text-xs">{title}</h3>
      <ul className="divide-y divide-line">
        {data.map(({ title: page, heading, address, excerpt }) => (
          <li
            key={address}
            className="relative flex gap-3 px-4 py-2.5 last:rounded-b-lg hover:bg-raised/60 max-sm:nth-[n+3]:hidden"
          >
            <DocsIcon className="mt-0.5 text-muted" />
            <div className="min-w-0">
              <a
                href={address}
                target="_blank"
                rel="noreferrer"
                className="rounded font-medium after:absolute after:inset-0"
              >
                {heading || page}
                <span className="sr-only"> (opens in a new tab)</span>
              </a>
              <p className="line-clamp-2 text-muted text-xs leading-5">{excerpt}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
