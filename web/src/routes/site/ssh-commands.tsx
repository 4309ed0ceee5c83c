import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sshServerQuery } from '../../api/ssh.ts';
import { Section } from '../../ui/card.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';

/** The same shell from somebody's own terminal; nothing where the operator has opened no port for it. */
export function SshCommands({ name }: { name: string }) {
  const server = useQuery(sshServerQuery).data;
  if (!server?.is_enabled) return null;
  const { hostname, port, host_key_fingerprint: fingerprint } = server;
  return (
    <Section
      title="From your own computer"
      description="The same shell by ssh, and the files by sftp, scp or rsync, with a key that you have added to your account."
    >
      <div className="grid gap-3">
        <CopyLine label="Copy the command for the shell" text={`ssh -p ${port} ${name}@${hostname}`} />
        <CopyLine label="Copy the command for the files" text={`sftp -P ${port} ${name}@${hostname}`} />
        <p className="break-words text-muted text-sm">
          The server is known by <code className="break-all">{fingerprint}</code>.{' '}
          <Link to="/developers/$page" params={{ page: 'ssh-keys' }} className="underline">
            Your SSH keys
          </Link>
        </p>
      </div>
    </Section>
  );
}
