import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SshKey } from '#sdk';
import { api } from '../../api/client.ts';
import { sshServerQuery } from '../../api/ssh.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { KeyIcon, PlusIcon, TrashIcon } from '../../ui/icons.ts';
import { Input, Textarea } from '../../ui/input.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { sshKeysQuery } from './developer-queries.ts';

export function SshKeys() {
  const query = useQuery(sshServerQuery);
  return (
    <Loaded query={query}>
      {(server) => (server.is_enabled ? <Keys fingerprint={server.host_key_fingerprint} /> : <NoServer />)}
    </Loaded>
  );
}

/** Where the operator has opened no port for ssh there is nothing to have keys for. */
function NoServer() {
  return (
    <Section title="SSH keys" flush>
      <Empty icon={<KeyIcon />} title="No SSH here">
        Whoever operates this platform has not opened it for ssh and sftp.
      </Empty>
    </Section>
  );
}

function Keys({ fingerprint }: { fingerprint: string }) {
  const query = useQuery(sshKeysQuery);
  return (
    <Section
      title="SSH keys"
      description={`For the shell and the files of your sites by ssh and sftp. Our server is known by ${fingerprint}.`}
      action={<AddKeyButton />}
      flush
    >
      <Loaded query={query}>
        {(keys) =>
          keys.results.length > 0 ? (
            <Table
              label="SSH keys"
              head={
                <>
                  <Th>Name</Th>
                  <Th className="max-sm:hidden">Last used</Th>
                  <Th>
                    <span className="sr-only">Actions</span>
                  </Th>
                </>
              }
            >
              {keys.results.map((key) => (
                <KeyRow key={key.id} sshKey={key} />
              ))}
            </Table>
          ) : (
            <Empty icon={<KeyIcon />} title="No SSH keys">
              Add the public key of your computer to reach your sites from there.
            </Empty>
          )
        }
      </Loaded>
    </Section>
  );
}

function KeyRow({ sshKey }: { sshKey: SshKey }) {
  const queryClient = useQueryClient();
  async function remove() {
    await api.deleteSshKey({ params: { ssh_key_id: sshKey.id } });
    await queryClient.invalidateQueries({ queryKey: sshKeysQuery.queryKey });
    toast.success('The key is removed.');
  }
  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{sshKey.name}</p>
        <p className="truncate text-muted text-xs">
          <span className="font-mono">{sshKey.fingerprint}</span> · {sshKey.type} · added{' '}
          <DateOnly iso={sshKey.created_at} />
        </p>
      </Td>
      <Td className="whitespace-nowrap text-muted max-sm:hidden">
        {sshKey.last_used_at ? <Time iso={sshKey.last_used_at} /> : 'Never'}
      </Td>
      <Td className="text-right">
        <ConfirmAction
          trigger={
            <Button variant="ghost" size="icon" aria-label={`Remove ${sshKey.name}`}>
              <TrashIcon />
            </Button>
          }
          title={`Remove “${sshKey.name}”?`}
          action="Remove"
          onConfirm={remove}
        >
          Whoever is connected with this key is disconnected at once.
        </ConfirmAction>
      </Td>
    </tr>
  );
}

function AddKeyButton() {
  const queryClient = useQueryClient();
  const [open, setOpen] = useState(false);
  async function submit(values: Record<string, string>) {
    await api.createSshKey({
      body: { public_key: values.public_key ?? '', ...(values.name && { name: values.name }) },
    });
    await queryClient.invalidateQueries({ queryKey: sshKeysQuery.queryKey });
    setOpen(false);
    toast.success('The key is added.');
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <PlusIcon /> Add key
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Add an SSH key"
        description="The public half, such as the content of ~/.ssh/id_ed25519.pub. It opens every site where you may use the shell."
      >
        <Form submit={submit} fieldOfCode={{ 'ssh_key.exists': 'public_key' }}>
          <Field name="public_key" label="Public key">
            <Textarea
              rows={4}
              spellcheck={false}
              autoComplete="off"
              required
              placeholder="ssh-ed25519 AAAA… you@laptop"
            />
          </Field>
          <Field name="name" label="Name" hint="Left empty, it is the comment of the key.">
            <Input autoComplete="off" />
          </Field>
          <DialogActions>
            <CancelButton />
            <SubmitButton>Add key</SubmitButton>
          </DialogActions>
        </Form>
      </Dialog>
    </>
  );
}
