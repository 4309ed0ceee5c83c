import { useQuery } from '@tanstack/react-query';
import type { Place } from '../../../api/sites.ts';
import { Loaded } from '../../../layout/loaded.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { SearchIcon } from '../../../ui/icons.ts';
import { useSearchText } from '../../../ui/use-settled.ts';
import { searchQuery } from './file-queries.ts';

type FileSearchProps = {
  place: Place;
  by: 'name' | 'text';
  words: string;
  onOpen: (path: string, line?: number) => void;
};

export function FileSearch({ place, by, words, onOpen }: FileSearchProps) {
  const search = useSearchText(words);
  const query = useQuery({ ...searchQuery(place, by, search), enabled: search !== '' });
  return (
    <Loaded query={query}>
      {({ matches, is_complete }) =>
        matches.length === 0 ? (
          <Empty icon={<SearchIcon />} title="Nothing found">
            {is_complete ? undefined : 'There is more than could be looked at.'}
          </Empty>
        ) : (
          <div className="max-h-[70vh] overflow-auto p-1.5">
            <ul aria-label="Found files">
              {matches.map(({ path, kind, line, excerpt }) => (
                <li key={`${path}:${line}`}>
                  <button
                    type="button"
                    disabled={kind !== 'file'}
                    onClick={() => onOpen(path, line ?? undefined)}
                    className="grid w-full gap-0.5 rounded-md px-2.5 py-1.5 text-left text-sm enabled:hover:bg-raised"
                  >
                    <span className="break-all">
                      {path}
                      {kind === 'folder' && '/'}
                      {line !== null && <span className="text-muted">:{line}</span>}
                    </span>
                    {excerpt && <code className="truncate text-muted text-xs">{excerpt}</code>}
                  </button>
                </li>
              ))}
            </ul>
            {!is_complete && <p className="px-2.5 py-1.5 text-muted text-sm">There is more than is listed here.</p>}
          </div>
        )
      }
    </Loaded>
  );
}
