import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { propertiesOf } from '../../api/sites.ts';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, messageOf, SubmitButton } from '../../ui/form.tsx';
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
  save(change: { cdn_firewall_enabled?: boolean; cdn_firewall_allowed_ips?: string[] }): Promise<unknown>;
  isOn: boolean;
  addresses: string[];
  disabled: boolean;
}

export function FirewallForm({ save, isOn, addresses, disabled }: FirewallFormProps) {
  const [text, setText] = useState(addresses.join('\n'));
  const turn = useMutation({
    mutationFn: (cdn_firewall_enabled: boolean) => save({ cdn_firewall_enabled }),
    onSuccess: (_, on) => toast.success(on ? 'The firewall is on.' : 'The firewall is off.'),
    onError: (error) => toast.error(messageOf(error)),
  });
  const addOwn = useMutation({
    mutationFn: () => api.getMyAddress(),
    onSuccess: ({ address }) =>
      setText((list) => [...listed(list).filter((line) => line !== address), address].join('\n')),
    onError: (error) => toast.error(messageOf(error)),
  });

  async function submit() {
    await save({ cdn_firewall_allowed_ips: listed(text) });
    toast.success('The addresses are saved.');
  }

  return (
    <div className="grid gap-5">
      <Switch
        label="Keep everybody else out"
        hint="You too, unless your own address is in the list. It takes effect within a second."
        checked={turn.isPending ? turn.variables : isOn}
        onCheckedChange={(on) => turn.mutate(on)}
        disabled={disabled || turn.isPending}
      />
      <Form submit={submit}>
        <Field
          name="cdn_firewall_allowed_ips"
          label="Allowed addresses"
          hint="One per line: IPv4, IPv6, or a range such as 203.0.113.0/24."
          disabled={disabled}
          aside={
            !disabled && (
              <button
                type="button"
                onClick={() => addOwn.mutate()}
                className="rounded text-accent-text text-xs underline-offset-4 hover:underline"
              >
                Add my address
              </button>
            )
          }
        >
          <Textarea
            rows={4}
            value={text}
            onValueChange={(next) => setText(String(next))}
            spellcheck={false}
            autoCapitalize="none"
            className="font-mono"
          />
        </Field>
        <div>
          <SubmitButton variant="secondary" disabled={disabled}>
            Save addresses
          </SubmitButton>
        </div>
      </Form>
    </div>
  );
}

function listed(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
