import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { type EditorState, propertiesOf, siteQuery } from '../../api/sites.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { openInTab } from '../../layout/open-in-tab.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { messageOf } from '../../ui/form.tsx';
import { MoonIcon, OpenIcon } from '../../ui/icons.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { SecretValue } from './secret-value.tsx';
import { useSiteChange } from './site-changes.ts';

const LOOK_AGAIN_MS = 2_000;

/** VS Code in the browser, for the site's own files. */
export function SiteEditor({ site, isStage = false }: { site: Site; isStage?: boolean }) {
  const change = useSiteChange(site);
  const me = useMe();
  const obstacle =
    obstaclesOf(site, me).change ??
    (me.is_verified ? undefined : 'To open the code editor, confirm your email address first.');
  const editor = propertiesOf(site).code_server;
  // How far it is comes without an event.
  useQuery({ ...siteQuery(site.fqdn), refetchInterval: editor.state === 'off' ? false : LOOK_AGAIN_MS });
  const onError = (error: Error) => toast.error(messageOf(error));
  const enable = useMutation({
    mutationFn: (code_server_enabled: boolean) => change({ code_server_enabled }),
    onError,
  });
  return (
    <div className="grid max-w-3xl gap-6">
      <BlockedNote reason={obstacle} />
      <Section
        title="Code editor"
        description={`VS Code in the browser, with a terminal, wp and php, on the files of the ${isStage ? 'staging site' : 'site'}.`}
      >
        <div className="grid gap-5">
          <Switch
            label="Turn on the editor"
            hint={`${isStage ? 'One switch for the site and its staging site.' : 'What you save is live at once.'} The time machine keeps every minute. Whoever is in it leaves when you switch it off.`}
            checked={site.code_server_enabled}
            onCheckedChange={(next) => enable.mutate(next)}
            disabled={obstacle !== undefined || enable.isPending}
          />
          {editor.state !== 'off' && <OpenEditor {...{ site, isStage, editor, obstacle }} />}
        </div>
      </Section>
    </div>
  );
}

type OpenEditorProps = { site: Site; isStage: boolean; editor: EditorState; obstacle: string | undefined };

function OpenEditor({ site, isStage, editor, obstacle }: OpenEditorProps) {
  const queryClient = useQueryClient();
  const onError = (error: Error) => toast.error(messageOf(error));
  const login = () => api.createCodeServerLogin({ params: { fqdn: site.fqdn }, query: { stage: isStage } });
  const open = useMutation({ mutationFn: () => openInTab(login), onError });
  const sleep = useMutation({
    mutationFn: () => api.sleepSite({ params: { fqdn: site.fqdn }, query: { for_code_server: true } }),
    onSuccess: (changed) => queryClient.setQueryData(siteQuery(site.fqdn).queryKey, changed),
    onError,
  });
  const row = 'flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2';
  return (
    <>
      <StateNote editor={editor} />
      <div className="flex flex-wrap gap-3">
        <Button disabled={obstacle !== undefined} pending={open.isPending} onClick={() => open.mutate()}>
          <OpenIcon /> Open the editor
        </Button>
        {editor.state === 'running' && (
          <Button variant="secondary" pending={sleep.isPending} onClick={() => sleep.mutate()}>
            <MoonIcon /> Stop it
          </Button>
        )}
      </div>
      <dl className="divide-y divide-line rounded-lg border border-line">
        <div className={row}>
          <dt className="w-24 text-muted max-sm:w-full">Address</dt>
          <dd className="min-w-0 flex-1 break-all font-mono">{editor.url}</dd>
        </div>
        <div className={row}>
          <dt className="w-24 text-muted max-sm:w-full">Password</dt>
          <dd className="flex min-w-0 flex-1 items-center justify-between gap-2">
            <SecretValue password={site.code_server_password} />
          </dd>
        </div>
      </dl>
      <p className="text-muted text-sm">
        The password is for whoever has no account here. Who is in your team needs none.
      </p>
    </>
  );
}

function StateNote({ editor }: { editor: EditorState }) {
  if (editor.state === 'failed') return <Alert tone="danger">{editor.reason}</Alert>;
  if (editor.state === 'running')
    return <p role="status">It runs, and sleeps when nobody is in it for five minutes.</p>;
  if (editor.state !== 'installing' || !editor.progress)
    return <p role="status">It is asleep, and opens within a few seconds.</p>;
  const { step, done, of } = editor.progress;
  return (
    <div role="status" className="grid gap-2">
      <span>The editor is being installed, which happens once: {step}.</span>
      <ProgressBar label="Installing the editor" percentage={Math.round((100 * done) / of)} />
    </div>
  );
}
