import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { atLeast } from '../../api/roles.ts';
import { siteQuery } from '../../api/sites.ts';
import { siteLink } from '../../layout/site-link.ts';
import { Button, buttonStyle } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Danger, DangerZone } from '../../ui/danger-zone.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { ReopenIcon, SendIcon, TrashIcon } from '../../ui/icons.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { stageChangesQuery } from './site-queries.ts';
import { SiteSleep } from './site-sleep.tsx';
import type { StageProps } from './stage-settings.tsx';

/** What the stage is, and what can be done with the whole of it. */
export function StageOverview({ site, stage, disabled }: StageProps) {
  const isMaking = site.busy === 'staging';
  const mayChange = atLeast(site.team.role, 'member');
  return (
    <>
      <Section
        title="Staging site"
        description="What you change here stays here until you bring it to the live site."
        action={
          isMaking && (
            <p role="status" className="flex items-center gap-2 text-muted">
              <Spinner /> Being created
            </p>
          )
        }
      >
        <Definitions
          rows={[
            ['Name', stage.fqdn],
            ['Created', <Time key="made" iso={stage.created_at} />],
            ['Mail', 'Held back: nobody receives it'],
            ...(stage.git_branch ? [['Follows the branch', stage.git_branch] as [string, string]] : []),
          ]}
        />
      </Section>
      {!isMaking && mayChange && (
        <>
          <Section
            title="Bring changes to live"
            description="You see what each side has changed before anything happens. What came to live in the meantime stays."
          >
            <Link {...siteLink(site.fqdn, 'changes', true)} className={buttonStyle()}>
              <SendIcon /> Compare with live
            </Link>
          </Section>
          <SiteSleep site={site} stage={stage} />
          <StageEnds {...{ site, stage, disabled }} />
        </>
      )}
    </>
  );
}

function StageEnds({ site, stage, disabled }: StageProps) {
  const queryClient = useQueryClient();
  async function refresh() {
    await api.refreshStage({ params: { fqdn: site.fqdn } });
    queryClient.removeQueries({ queryKey: stageChangesQuery(site.fqdn).queryKey });
    await queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey });
  }
  async function remove() {
    await api.deleteStage({ params: { fqdn: site.fqdn } });
    await queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey });
    toast.success(`${stage.fqdn} is deleted.`);
  }
  return (
    <DangerZone>
      <Danger
        title="Reset the staging site from live"
        description={`Replaces its files and database with those of ${site.fqdn} as it is now.`}
      >
        <ConfirmAction
          trigger={
            <Button variant="dangerOutline" disabled={disabled}>
              <ReopenIcon /> Reset from live
            </Button>
          }
          title={`Reset ${stage.fqdn} from live?`}
          action="Reset from live"
          onConfirm={refresh}
        >
          It becomes a copy of {site.fqdn} as it is now. Changes on staging remain only in its backups.
        </ConfirmAction>
      </Danger>
      <Danger
        title="Delete the staging site"
        description="Deletes its files, database and backups. The live site stays."
      >
        <ConfirmAction
          trigger={
            <Button variant="dangerOutline" disabled={disabled}>
              <TrashIcon /> Delete staging site
            </Button>
          }
          title={`Delete ${stage.fqdn}?`}
          action="Delete staging site"
          onConfirm={remove}
        >
          Changes that were not published to live are lost. {site.fqdn} stays as it is.
        </ConfirmAction>
      </Danger>
    </DangerZone>
  );
}
