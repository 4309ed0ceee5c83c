import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { chooseTeam, myTeamsQuery, useCurrentTeam } from '../api/current-team.ts';
import { capitalise } from '../ui/format.ts';
import { ChevronsIcon, PlusIcon, SettingsIcon, TeamsIcon } from '../ui/icons.ts';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

/** Which team everything on the screen is about. */
export function TeamSwitcher({ onNavigate }: { onNavigate?: (() => void) | undefined }) {
  const team = useCurrentTeam();
  const query = useQuery(myTeamsQuery);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  if (!team && query.isPending) return <Skeleton className="h-12 rounded-lg" />;

  function go(to: '/teams' | '/teams/new' | '/teams/$teamId', teamId = '') {
    onNavigate?.();
    void navigate({ to, params: { teamId }, search: {} });
  }
  /** Whoever is on a page of a team stays on that page, of the other one. */
  function change(id: string) {
    chooseTeam(id);
    onNavigate?.();
    const [, first, , page] = pathname.split('/');
    if (first === 'teams') void navigate({ to: page ? `/teams/${id}/${page}` : `/teams/${id}` });
    else if (first === 'sites' && pathname !== '/sites') void navigate({ to: '/sites', search: {} });
  }
  return (
    <Menu
      align="start"
      className="w-60"
      trigger={
        <button
          type="button"
          className="flex h-12 w-full min-w-0 items-center gap-2.5 rounded-lg border border-line bg-surface px-2 text-left shadow-card hover:bg-raised data-popup-open:bg-raised"
        >
          <TeamMark name={team?.name ?? ''} />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-semibold text-sm leading-5">
              <span className="sr-only">Team: </span>
              {team?.name ?? 'none'}
            </span>
            <span className="block truncate text-muted text-xs leading-4">
              {team ? `${capitalise(team.plan_type_name)} plan` : 'Make one, or ask to be invited'}
            </span>
          </span>
          <ChevronsIcon className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      {team && (
        <>
          <MenuChoice
            label="Teams"
            value={team.id}
            onChange={change}
            options={(query.data?.results ?? []).map(({ id, name }) => ({
              value: id,
              label: name,
              icon: <TeamMark name={name} />,
            }))}
          />
          <MenuSeparator />
          <MenuItem icon={<SettingsIcon />} onClick={() => go('/teams/$teamId', team.id)}>
            Team settings
          </MenuItem>
        </>
      )}
      <MenuItem icon={<TeamsIcon />} onClick={() => go('/teams')}>
        All teams
      </MenuItem>
      <MenuItem icon={<PlusIcon />} onClick={() => go('/teams/new')}>
        New team
      </MenuItem>
    </Menu>
  );
}

function TeamMark({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-6 shrink-0 place-items-center rounded-md bg-accent-soft font-semibold text-accent-text text-xs"
    >
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
