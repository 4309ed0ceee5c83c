import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Team } from '#sdk';
import { Button } from '../../ui/button.tsx';
import { CloseIcon, PlusIcon } from '../../ui/icons.ts';
import { SearchInput } from '../../ui/search-input.tsx';
import { Select } from '../../ui/select.tsx';
import { useSearchText } from '../../ui/use-settled.ts';
import { type GivenRole, siteRoles } from './role-choice.tsx';
import { someSitesQuery } from './team-queries.ts';

export type PickedSite = { site_id: string; fqdn: string; role: GivenRole };

type SitePickerProps = {
  team: Team;
  value: PickedSite[];
  onChange: (sites: PickedSite[]) => void;
  /** False where one role is chosen for all of them elsewhere. */
  withRoles?: boolean;
};

/** Some sites of a team: those chosen, and below them a search for more. */
export function SitePicker({ team, value, onChange, withRoles = true }: SitePickerProps) {
  const [text, setText] = useState('');
  const search = useSearchText(text);
  const { data } = useQuery(someSitesQuery(team.id, search));
  const chosen = new Set(value.map(({ site_id }) => site_id));
  // What was pressed goes from its list, and the focus would go with it.
  const picker = useRef<HTMLDivElement>(null);
  function change(sites: PickedSite[]) {
    picker.current?.focus();
    onChange(sites);
  }
  const offered = (data?.results ?? []).filter(({ id }) => !chosen.has(id));
  return (
    <div ref={picker} tabIndex={-1} className="overflow-hidden rounded-lg border border-line-strong outline-none">
      {value.length === 0 && <p className="px-3 py-2.5 text-muted">No site is chosen yet.</p>}
      <ul aria-label="Chosen sites" className="divide-y divide-line">
        {value.map((site) => (
          <li key={site.site_id} className="flex flex-wrap items-center gap-2 px-3 py-2">
            <span className="min-w-0 flex-1 truncate font-medium max-sm:basis-full">{site.fqdn}</span>
            {withRoles && (
              <Select
                aria-label={`Role on ${site.fqdn}`}
                className="w-32 max-sm:flex-1"
                value={site.role}
                onValueChange={(role) =>
                  onChange(value.map((each) => (each === site ? { ...site, role: role as GivenRole } : each)))
                }
                options={siteRoles}
              />
            )}
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Take ${site.fqdn} away`}
              onClick={() => change(value.filter((each) => each !== site))}
            >
              <CloseIcon />
            </Button>
          </li>
        ))}
      </ul>
      <div className="grid gap-1 border-line border-t bg-raised/40 p-2">
        <SearchInput label="Find a site to add" value={text} onChange={setText} />
        <ul aria-label="Sites to add" className="max-h-44 min-h-11 overflow-y-auto">
          {offered.map(({ id, fqdn }) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => change([...value, { site_id: id, fqdn, role: 'member' }])}
                className="flex min-h-9 any-pointer-coarse:min-h-11 w-full items-center gap-2 rounded-lg px-2.5 text-left text-sm hover:bg-raised focus-visible:-outline-offset-2"
              >
                <PlusIcon className="text-muted" />
                <span className="sr-only">Add </span>
                <span className="truncate">{fqdn}</span>
              </button>
            </li>
          ))}
          {data && offered.length === 0 && (
            <li className="px-2.5 py-2 text-muted">{search ? 'No such site.' : 'There are no more sites.'}</li>
          )}
        </ul>
      </div>
    </div>
  );
}
