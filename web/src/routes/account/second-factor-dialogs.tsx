import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { NewTotp } from '#sdk';
import { api } from '../../api/client.ts';
import { makePasskey } from '../../layout/passkeys.ts';
import { CopyLine } from '../../ui/copy-line.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input, PasswordInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';
import { secondFactorQuery } from './account-queries.ts';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

export type DialogProps = { open: boolean; onOpenChange: (open: boolean) => void };
/** Takes the recovery codes that came with the first of them. */
type SetUpProps = DialogProps & { onCodes: (codes: string[]) => void };

/** What was set up is shown at once; sessions may have ended with it. */
function useRefresh() {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries({ queryKey: secondFactorQuery.queryKey });
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
  };
}

function PasswordField() {
  return (
    <Field
      name="current_password"
      label="Your password"
      hint="So that nobody can do this in a browser that you left open."
    >
      <PasswordInput autoComplete="current-password" required />
    </Field>
  );
}

type PasswordFormProps = { action: string; isDanger?: boolean; submit: (password: string) => Promise<void> };

function PasswordForm({ action, isDanger, submit }: PasswordFormProps) {
  return (
    <Form submit={({ current_password = '' }: Record<string, string>) => submit(current_password)}>
      <PasswordField />
      <DialogActions>
        <CancelButton />
        <SubmitButton variant={isDanger ? 'danger' : 'primary'}>{action}</SubmitButton>
      </DialogActions>
    </Form>
  );
}

/**
 * Codes are shown once. So they have a dialog of their own, beside the list: what made them goes from there as soon as the list knows that it is set up.
 */
export function CodesDialog({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  return (
    <Dialog
      open={codes !== undefined}
      onOpenChange={onClose}
      title="Save your recovery codes"
      description="Copy or download them now. You cannot see them again."
      isSecret
    >
      {codes && <RecoveryCodes codes={codes} />}
    </Dialog>
  );
}

export function TotpDialog({ open, onOpenChange, onCodes }: SetUpProps) {
  const [secret, setSecret] = useState<NewTotp>();
  const refresh = useRefresh();

  async function confirm({ code = '' }: Record<string, string>) {
    const { recovery_codes } = await api.confirmTotp({ body: { code } });
    if (recovery_codes.length > 0) {
      onOpenChange(false);
      onCodes(recovery_codes);
    }
    // The button that opened this goes with it, so the dialog is there until then: a focus that went back to the button would be lost.
    await refresh();
    // A note would lie over what the codes have to be saved with.
    if (recovery_codes.length === 0) toast.success('Your authenticator app is set up.');
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Set up an authenticator app"
      description={
        secret
          ? 'Scan this with the app, then type the six digits that it shows.'
          : 'Any app that shows six-digit codes: the one of your password manager, Google Authenticator, Aegis and others.'
      }
    >
      {secret ? (
        <Form submit={confirm} fieldOfCode={{ 'totp.wrong_code': 'code' }}>
          <div className="grid justify-items-center">
            <QrCode text={secret.uri} label="QR code for your authenticator app" />
          </div>
          <div className="grid gap-1.5">
            <p className="text-muted text-xs">Cannot scan it? Type this key into the app:</p>
            {/* Not every app takes it with spaces. */}
            <CopyLine
              text={secret.secret}
              shown={secret.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
              label="Copy the key"
            />
          </div>
          <Field name="code" label="Code">
            <Input
              inputMode="numeric"
              autoComplete="one-time-code"
              placeholder="123456"
              required
              autoFocus
              className="font-mono tracking-widest"
            />
          </Field>
          <DialogActions>
            <CancelButton />
            <SubmitButton>Turn on</SubmitButton>
          </DialogActions>
        </Form>
      ) : (
        <PasswordForm
          action="Continue"
          submit={async (current_password) => setSecret(await api.beginTotp({ body: { current_password } }))}
        />
      )}
    </Dialog>
  );
}

export function PasskeyDialog({ open, onOpenChange, onCodes }: SetUpProps) {
  const refresh = useRefresh();

  async function add({ name = '', current_password = '' }: Record<string, string>) {
    const { challenge, options } = await api.beginPasskey({ body: { current_password } });
    const made = await makePasskey(options);
    const { recovery_codes } = await api.createPasskey({ body: { challenge, name, ...made } });
    onOpenChange(false);
    // A note would lie over what the codes have to be saved with.
    if (recovery_codes.length > 0) onCodes(recovery_codes);
    else toast.success('The passkey is added.');
    await refresh();
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Add a passkey"
      description="Your fingerprint, your face, a PIN or a security key, instead of a code. It can also stand in for the password."
    >
      <Form submit={add}>
        <Field name="name" label="Name" hint="Where is it? Your laptop, your phone, a key on your ring.">
          <Input autoComplete="off" placeholder="Laptop" required />
        </Field>
        <PasswordField />
        <DialogActions>
          <CancelButton />
          <SubmitButton>Add passkey</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

export function NewCodesDialog({ open, onOpenChange, onCodes }: SetUpProps) {
  const refresh = useRefresh();
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Make new recovery codes"
      description="The codes that you have now stop working."
    >
      <PasswordForm
        action="Make new codes"
        submit={async (current_password) => {
          onCodes((await api.createRecoveryCodes({ body: { current_password } })).recovery_codes);
          onOpenChange(false);
          await refresh();
        }}
      />
    </Dialog>
  );
}

type RemoveDialogProps = DialogProps & {
  title: string;
  description: ReactNode;
  remove: (password: string) => Promise<unknown>;
};

export function RemoveDialog({ open, onOpenChange, title, description, remove }: RemoveDialogProps) {
  const refresh = useRefresh();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} description={description}>
      <PasswordForm
        action="Remove"
        isDanger
        submit={async (password) => {
          await remove(password);
          await refresh();
          toast.success('Removed.');
          onOpenChange(false);
        }}
      />
    </Dialog>
  );
}
