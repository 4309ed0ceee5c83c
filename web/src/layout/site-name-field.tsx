import { useState } from 'react';
import type { Region } from '#sdk';

import { cx } from '../ui/cx.ts';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';

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
      <div className="relative flex">
        <Input
          value={text}
          onValueChange={(next) => setText(String(next))}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={isWhole ? 'www.example.com' : 'my-site'}
          className={cx('min-w-0 flex-1', !isWhole && 'rounded-r-none')}
        />
        {!isWhole && (
          <span className="max-w-1/2 shrink-0 content-center truncate rounded-r-lg border border-line-strong border-l-0 bg-raised px-3 text-muted">
            .{domain}
          </span>
        )}
      </div>
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

/** Where the platform serves a site of this name: with the dashboard's own scheme and port. */
function addressOf(fqdn: string): string {
  return `${location.protocol}//${fqdn}${location.port && `:${location.port}`}`;
}
