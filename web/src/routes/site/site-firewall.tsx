import { useState } from 'react';
import type { Site } from '#sdk';
import { propertiesOf } from '../../api/sites.ts';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Textarea } from '../../ui/input.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSiteChange } from './site-changes.ts';

export function SiteFirewall({ site, obstacle }: { site: Site; obstacle: string | undefined }) {
  const { firewall_enabled, firewall_allowed_ips } = propertiesOf(site).cdn;
  return (
    <Section title="Firewall" description="Lets in only the addresses that you name.">
      {/* The key makes the form start over when someone else changes the firewall. */}
      <FirewallForm
        key={`${firewall_enabled} ${firewall_allowed_ips.join(' ')}`}
        save={useSiteChange(site)}
        isOn={firewall_enabled}
        addresses={firewall_allowed_ips}
        disabled={obstacle !== undefined}
      />
    </Section>
  );
}

interface FirewallFormProps {
  save(change: { cdn_firewall_enabled: boolean; cdn_firewall_allowed_ips: string[] }): Promise<unknown>;
  isOn: boolean;
  addresses: string[];
  disabled: boolean;
}

export function FirewallForm({ save, isOn, addresses, disabled }: FirewallFormProps) {
  const [enabled, setEnabled] = useState(isOn);

  async function submit({ cdn_firewall_allowed_ips: text = '' }: Record<string, string>) {
    const list = text.split(/[\s,]+/).filter(Boolean);
    await save({ cdn_firewall_enabled: enabled, cdn_firewall_allowed_ips: list });
    toast.success(enabled ? 'The firewall is on.' : 'The firewall is off.');
  }

  return (
    <Form submit={submit}>
      <Switch
        label="Keep everybody else out"
        hint="You too, unless your own address is in the list. It takes effect within a second."
        checked={enabled}
        onCheckedChange={setEnabled}
        disabled={disabled}
      />
      <Field
        name="cdn_firewall_allowed_ips"
        label="Allowed addresses"
        hint="One a line: IPv4, IPv6, or a range such as 203.0.113.0/24."
        disabled={disabled}
      >
        <Textarea
          rows={4}
          defaultValue={addresses.join('\n')}
          spellCheck={false}
          autoCapitalize="none"
          className="font-mono"
        />
      </Field>
      <div>
        <SubmitButton variant="secondary" disabled={disabled}>
          Save firewall
        </SubmitButton>
      </div>
    </Form>
  );
}
