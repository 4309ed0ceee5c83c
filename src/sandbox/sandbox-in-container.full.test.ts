import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

/**
 * The pod of a site on a cluster: nobody's number, no rights and no way to any, the settings of the kernel read-only, and parts of /proc
 * covered, for which the kernel gives a namespace of users none of its own.
 */
const POD = `set -e
  mount --make-rprivate /
  mount -t proc proc /proc
  mount --bind /proc/sys /proc/sys
  mount -o remount,bind,ro /proc/sys
  mount -t tmpfs -o ro tmpfs /proc/fs
  exec setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"`;

/** Runs in there: what a program in a room with a network of its own sees and may. */
const PROGRAM = `
  import { execFileSync } from 'node:child_process';
  import { Sandbox } from '#sandbox/sandbox.ts';
  const [folder] = process.argv.slice(1);
  const sandbox = await Sandbox.find('auto', []);
  if (!(sandbox instanceof Sandbox)) throw new Error(sandbox.missing);
  const missing = await sandbox.missingNetwork();
  if (missing !== undefined) throw new Error(missing);
  const how = { shown: [], tmpBytes: 1_000_000, hasNetwork: false, isOwnNetwork: true, hasProc: false };
  const room = sandbox.room({ ...how, folder: folder + '/room' });
  const listen = 'use Socket; for my $port (53, 80) { socket(my $s, PF_INET, SOCK_STREAM, 0); bind($s, sockaddr_in($port, INADDR_ANY)) or die "$port: $!"; listen $s, 1;' +
    ' socket(my $c, PF_INET, SOCK_STREAM, 0); connect($c, sockaddr_in($port, inet_aton("93.184.216.34"))) or die "$port: $!" }';
  const script = 'id -u; grep -c "^site:x:$(id -u):$(id -g):" /etc/passwd; perl -e "$1" && echo listens; setpriv --dump | grep -i "bounding\\\\|no_new"; ' +
    'for attempt in "mount -t tmpfs x /tmp" "unshare --user true" "unshare --mount true" "chroot /tmp /bin/true" "ip link set lo down" "nsenter --net=/proc/1/ns/net true"; do $attempt 2>/dev/null && echo "may $attempt"; done; ls /proc | wc -l';
  const { file, args, env } = sandbox.enter({ room, list: folder + '/mounts', cwd: '/', args: ['/bin/sh', '-c', script, 'sh', listen] });
  process.stdout.write(execFileSync(file, args, { env, cwd: '/', encoding: 'utf8' }));`;

const canTry = spawnSync('unshare', ['--mount', '--pid', '--fork', 'sh', '-c', POD, 'sh', 'true']).status === 0;

describe('a sandbox in a container that may nothing', () => {
  it('has a network of its own with all ports, and no right beyond that', {
    skip: !canTry && 'it needs root',
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'in-container-'));
    try {
      await chmod(folder, 0o777);
      const node = [
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        '--input-type=module',
        '--eval',
        PROGRAM,
      ];
      const args = [
        '--mount',
        '--pid',
        '--fork',
        '--kill-child',
        'sh',
        '-c',
        POD,
        'sh',
        'env',
        `TMPDIR=${folder}`,
        ...node,
      ];
      const { stdout } = await promisify(execFile)('unshare', [...args, folder], {
        cwd: join(import.meta.dirname, '../..'),
      });
      assert.deepEqual(stdout.trim().split('\n'), [
        '0',
        '1',
        'listens',
        'no_new_privs: 1',
        'Capability bounding set: net_bind_service',
        '0',
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
