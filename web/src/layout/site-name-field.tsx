import { useState } from 'react';
import type { Region } from '#sdk';
import { addressOf } from '../api/sites.ts';

import { Field } from '../ui/field.tsx';
import { HostInput } from '../ui/host-input.tsx';

/** A name that is being chosen: a word under the platform's site domain, or a whole domain of one's own. */
type SiteName = ReturnType<typeof useSiteName>;

export function useSiteName(region: Region | undefined, current = '') {
  const domain = region?.site_domain ?? 'localhost';
  const [text, setText] = useState(current.replace(`.${domain}`, ''));
  const [isWhole, setIsWhole] = useState(current !== '' && !current.endsWith(`.${domain}`));
  const word = text.trim().toLowerCase();
  // Whoever pastes the whole name means the same.
  const fqdn = isWhole || word === '' || word.endsWith(`.${domain}`) ? word : `${word}.${domain}`;
  return { text, setText, isWhole, setIsWhole, domain, region, fqdn };
}

type SiteNameFieldProps = { field: 'fqdn' | 'new_fqdn'; label: string; name: SiteName; disabled?: boolean };

export function SiteNameField({ field, label, name, disabled }: SiteNameFieldProps) {
  const { text, setText, isWhole, setIsWhole, domain, fqdn } = name;
  return (
    <Field
      name={field}
      label={label}
      disabled={disabled}
      hint={<Hint name={name} />}
      aside={
        !disabled && (
          <button
            type="button"
            onClick={() => setIsWhole(!isWhole)}
            className="rounded text-accent-text text-xs underline-offset-4 hover:underline"
          >
            {isWhole ? `Use a name under ${domain}` : 'Use your own domain'}
          </button>
        )
      }
    >
      <HostInput
        text={text}
        onText={setText}
        placeholder={isWhole ? 'www.example.com' : 'my-site'}
        domain={isWhole ? undefined : domain}
      />
      <span className="sr-only" aria-live="polite">
        {fqdn && `The name is ${fqdn}`}
      </span>
    </Field>
  );
}

function Hint({ name: { isWhole, fqdn, region } }: { name: SiteName }) {
  if (isWhole && region)
    return `Point a CNAME record of the domain to ${region.cname}, or an A record to ${region.ip}. The site can be created before that.`;
  return fqdn ? `It opens at ${addressOf(fqdn)}` : 'Letters, digits and hyphens.';
}
