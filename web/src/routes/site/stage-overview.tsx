import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { atLeast } from '../../api/roles.ts';
import { siteQuery } from '../../api/sites.ts';
import { siteLink } from '../../layout/site-link.ts';
import { Button, buttonStyle } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
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
    <Section
      title="Begin again"
      description="Refresh makes the staging site a copy of live as it is now. Delete removes it; live stays as it is."
    >
      <div className="flex flex-wrap gap-2">
        <ConfirmAction
          trigger={
            <Button variant="secondary" disabled={disabled}>
              <ReopenIcon /> Refresh
            </Button>
          }
          title={`Refresh ${stage.fqdn} from live?`}
          action="Make it anew"
          onConfirm={refresh}
        >
          It becomes what {site.fqdn} is now. What was changed there is only in its backups then.
        </ConfirmAction>
        <ConfirmAction
          trigger={
            <Button variant="secondary" disabled={disabled}>
              <TrashIcon /> Delete
            </Button>
          }
          title={`Delete ${stage.fqdn}?`}
          action="Delete"
          onConfirm={remove}
        >
          Everything that was changed there is lost for good. {site.fqdn} stays as it is.
        </ConfirmAction>
      </div>
    </Section>
  );
}
