import { useMutation } from '@tanstack/react-query';
import type { Site, StageSite } from '#sdk';
import { Section } from '../../ui/card.tsx';
import { messageOf } from '../../ui/form.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { useStageChange } from './site-changes.ts';
import { FirewallForm } from './site-firewall.tsx';

export type StageProps = { site: Site; stage: StageSite; disabled: boolean };

/** What guards the staging site: it began with what the site had, and is its own since. */
export function StageSettings({ site, stage, disabled }: StageProps) {
  const save = useStageChange(site);
  const change = useMutation({ mutationFn: save, onError: (error) => toast.error(messageOf(error)) });
  const off = disabled || change.isPending;
  const { cdn_firewall_enabled: isOn, cdn_firewall_allowed_ips: addresses } = stage;
  return (
    <Section title="Settings of the staging site" description="Its own: the live site keeps what it has.">
      <div className="grid gap-5">
        <Switch
          label="Ask every visitor for a password"
          hint="The user name and the password are those of the site, under Security."
          checked={stage.http_auth_enabled}
          onCheckedChange={(http_auth_enabled) => change.mutate({ http_auth_enabled })}
          disabled={off}
        />
        <Switch
          label="Development mode"
          hint="Nothing is kept in the cache while you work."
          checked={stage.cdn_dev_mode_enabled}
          onCheckedChange={(cdn_dev_mode_enabled) => change.mutate({ cdn_dev_mode_enabled })}
          disabled={off}
        />
        <Switch
          label="Debug mode"
          hint="WordPress writes more into the log. Visitors see nothing of it."
          checked={stage.debug_enabled}
          onCheckedChange={(debug_enabled) => change.mutate({ debug_enabled })}
          disabled={off}
        />
        {/* The key makes the form start over when someone else changes the firewall. */}
        <FirewallForm key={`${isOn} ${addresses.join(' ')}`} save={save} {...{ isOn, addresses, disabled }} />
      </div>
    </Section>
  );
}
