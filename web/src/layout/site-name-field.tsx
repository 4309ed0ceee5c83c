import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Region } from '#sdk';
import { addressOf, siteNameQuery } from '../api/sites.ts';
import { Field } from '../ui/field.tsx';
import { messageOf, useFault } from '../ui/form.tsx';
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
  return { text, setText, isWhole, setIsWhole, domain, region, fqdn, current };
}

type SiteNameFieldProps = { field: 'fqdn' | 'new_fqdn'; label: string; name: SiteName; disabled?: boolean };

export function SiteNameField({ field, label, name, disabled }: SiteNameFieldProps) {
  const { text, setText, isWhole, setIsWhole, domain, fqdn } = name;
  return (
    <Field
      name={field}
      label={label}
      disabled={disabled}
      hint={<Hint field={field} name={name} />}
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

/** Long enough that a name is not asked for letter by letter, short enough to be an answer to the last one. */
const TYPING_MS = 350;
const NOT_IN_A_NAME = /[^\p{L}\p{N}.-]/u;

function Hint({ field, name: { isWhole, fqdn, region, current } }: Pick<SiteNameFieldProps, 'field' | 'name'>) {
  const settled = useSettled(fqdn);
  // What is said of the name since it was sent is not said twice.
  const hasFault = useFault(field) !== undefined;
  const isAsked = settled !== '' && settled === fqdn && fqdn !== current && !hasFault;
  const check = useQuery({ ...siteNameQuery(settled), enabled: isAsked });
  if (isAsked && NOT_IN_A_NAME.test(fqdn)) return <Refused>Use letters, digits and hyphens only.</Refused>;
  if (isAsked && check.error) return <Refused>{messageOf(check.error)}</Refused>;
  if (isAsked && check.data?.is_free === false && !isWhole)
    return <Refused>This name is taken. Choose another one.</Refused>;
  if (isWhole && region)
    return `Point a CNAME record of the domain to ${region.cname}, or an A record to ${region.ip}. You can do that before or after.`;
  const isFine = fqdn !== '' && !hasFault && (fqdn === current || (isAsked && check.data));
  if (!isFine) return 'Letters, digits and hyphens.';
  return `${fqdn === current ? 'It opens' : 'It will open'} at ${addressOf(fqdn)}`;
}

function Refused({ children }: { children: string }) {
  return <span className="text-danger-text">{children}</span>;
}

/** The text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
