import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Team } from '#sdk';
import { roleLabel } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SitesIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { RemoveQuestion } from './member-row.tsx';
import { someSitesQuery } from './team-queries.ts';

/** A team as somebody sees it who is in it for some of its sites alone. */
export function LimitedTeam({ team }: { team: Team }) {
  const me = useMe();
  const [isLeaving, setLeaving] = useState(false);
  const query = useQuery(someSitesQuery(team.id, ''));
  return (
    <>
      <PageHeader
        title={team.name}
        description={`${team.user.full_name} owns this team and shares some of its sites with you.`}
        action={
          <Button variant="secondary" onClick={() => setLeaving(true)}>
            Leave the team
          </Button>
        }
      />
      <Section title="Your sites in this team" flush>
        <Loaded query={query}>
          {({ results }) =>
            results.length === 0 ? (
              <Empty icon={<SitesIcon />} title="No site is shared with you any more" />
            ) : (
              <ul className="divide-y divide-line">
                {results.map((site) => (
                  <li key={site.id} className="flex items-center justify-between gap-3 px-5 py-3">
                    <Link
                      to="/sites/$fqdn"
                      params={{ fqdn: site.fqdn }}
                      className="min-w-0 truncate rounded font-medium underline-offset-4 hover:underline"
                    >
                      {site.fqdn}
                    </Link>
                    {site.team.role && <Badge>{roleLabel(site.team.role)}</Badge>}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <RemoveQuestion
        team={team}
        member={{ user_id: me.id, full_name: me.full_name }}
        isSelf
        open={isLeaving}
        onOpenChange={setLeaving}
      />
    </>
  );
}
