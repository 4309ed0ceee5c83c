import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Passkey, SecondFactor } from '#sdk';
import { api } from '../../api/client.ts';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { canUsePasskeys } from '../../layout/passkeys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CodesIcon, KeyIcon, PhoneIcon, TrashIcon } from '../../ui/icons.ts';
import { DateOnly, Time } from '../../ui/time.tsx';
import { secondFactorQuery } from './account-queries.ts';
import {
  CodesDialog,
  type DialogProps,
  NewCodesDialog,
  PasskeyDialog,
  RemoveDialog,
  TotpDialog,
} from './second-factor-dialogs.tsx';

export function SecondFactorSection() {
  const query = useQuery(secondFactorQuery);
  const [codes, setCodes] = useState<string[]>();
  return (
    <Section
      title="Two-step sign-in"
      description="Besides your password, something that only you have. Any one of these is enough to sign in."
      action={
        query.data && <Badge tone={query.data.is_on ? 'accent' : 'neutral'}>{query.data.is_on ? 'On' : 'Off'}</Badge>
      }
      flush
    >
      <Loaded query={query}>{(factor) => <Factors factor={factor} onCodes={setCodes} />}</Loaded>
      <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />
    </Section>
  );
}

function Factors({ factor, onCodes }: { factor: SecondFactor; onCodes: (codes: string[]) => void }) {
  const { totp_since, passkeys, recovery_codes_left, can_have_passkeys } = factor;
  return (
    <div className="divide-y divide-line">
      <Row
        icon={<PhoneIcon />}
        title="Authenticator app"
        action={
          totp_since ? (
            <DialogButton label="Remove" name="Remove the authenticator app">
              {(dialog) => (
                <RemoveDialog
                  {...dialog}
                  title="Remove the authenticator app?"
                  description={lastOne(factor) ?? 'Its codes stop working. Your passkeys still work.'}
                  remove={(current_password) => api.removeTotp({ body: { current_password } })}
                />
              )}
            </DialogButton>
          ) : (
            <ConfirmedOnly>
              <DialogButton label="Set up" name="Set up an authenticator app">
                {(dialog) => <TotpDialog {...dialog} onCodes={onCodes} />}
              </DialogButton>
            </ConfirmedOnly>
          )
        }
      >
        {totp_since ? (
          <>
            Set up <DateOnly iso={totp_since} />
          </>
        ) : (
          'A six-digit code from an app on your phone. It needs no connection.'
        )}
      </Row>
      <Row
        icon={<KeyIcon />}
        title="Passkeys"
        action={
          canUsePasskeys && can_have_passkeys ? (
            <ConfirmedOnly>
              <DialogButton label="Add passkey">
                {(dialog) => <PasskeyDialog {...dialog} onCodes={onCodes} />}
              </DialogButton>
            </ConfirmedOnly>
          ) : undefined
        }
      >
        {passkeyNote(can_have_passkeys)}
      </Row>
      {passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} factor={factor} />
      ))}
      {factor.is_on && (
        <Row
          icon={<CodesIcon />}
          title="Recovery codes"
          badge={recovery_codes_left < 4 && <Badge tone="warn">Few left</Badge>}
          action={
            <DialogButton label="New codes">
              {(dialog) => <NewCodesDialog {...dialog} onCodes={onCodes} />}
            </DialogButton>
          }
        >
          {recovery_codes_left} of 10 left, for when everything else is lost.
        </Row>
      )}
    </div>
  );
}

function passkeyNote(canHavePasskeys: boolean): string {
  if (!canHavePasskeys) return 'They need HTTPS and a domain name. At this address the platform does not have both.';
  if (!canUsePasskeys) return 'This browser does not know them.';
  return 'Your fingerprint, face, PIN or security key. Nobody can phish it.';
}

/** What removing the last one means; undefined where another stays. */
function lastOne({ totp_since, passkeys }: SecondFactor): string | undefined {
  const count = passkeys.length + (totp_since ? 1 : 0);
  return count === 1
    ? 'It is your last one. After that your password alone opens the account, and your recovery codes stop working.'
    : undefined;
}

function PasskeyRow({ passkey, factor }: { passkey: Passkey; factor: SecondFactor }) {
  return (
    <div className="flex items-center justify-between gap-4 py-3 pr-5 pl-14">
      <div className="min-w-0">
        <p className="truncate font-medium">{passkey.name}</p>
        <p className="text-muted text-xs">
          Added <DateOnly iso={passkey.created_at} /> ·{' '}
          {passkey.last_used_at ? (
            <>
              used <Time iso={passkey.last_used_at} />
            </>
          ) : (
            'never used'
          )}
        </p>
      </div>
      <DialogButton label={<TrashIcon />} name={`Remove the passkey ${passkey.name}`} isIcon>
        {(dialog) => (
          <RemoveDialog
            {...dialog}
            title={`Remove “${passkey.name}”?`}
            description={lastOne(factor) ?? 'It no longer opens your account.'}
            remove={(current_password) =>
              api.removePasskey({ params: { passkey_id: passkey.id }, body: { current_password } })
            }
          />
        )}
      </DialogButton>
    </div>
  );
}

type RowProps = { icon: ReactNode; title: string; badge?: ReactNode; action: ReactNode; children: ReactNode };

function Row({ icon, title, badge, action, children }: RowProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 px-5 py-4">
      <div className="flex min-w-0 flex-1 basis-40 gap-3.5">
        <span className="mt-0.5 text-muted [&_svg]:size-5">{icon}</span>
        <div className="min-w-0">
          <p className="flex items-center gap-2 font-medium">
            {title} {badge}
          </p>
          <p className="mt-0.5 text-muted">{children}</p>
        </div>
      </div>
      {action}
    </div>
  );
}

type DialogButtonProps = {
  label: ReactNode;
  name?: string;
  isIcon?: boolean;
  children: (dialog: DialogProps) => ReactNode;
};

/** Begins anew each time it is opened. */
function DialogButton({ label, name, isIcon, children }: DialogButtonProps) {
  const [open, setOpen] = useState(false);
  const [round, setRound] = useState(0);
  return (
    <>
      <Button
        variant={isIcon ? 'ghost' : 'secondary'}
        size={isIcon ? 'icon' : 'md'}
        aria-label={name}
        onClick={() => {
          setRound(round + 1);
          setOpen(true);
        }}
      >
        {label}
      </Button>
      <div key={round} className="contents">
        {children({ open, onOpenChange: setOpen })}
      </div>
    </>
  );
}
