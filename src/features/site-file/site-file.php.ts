import type { Services } from '#core/services.ts';
import { type SiteRow, specOf } from '#features/instance/instance.ts';
import type { PhpFault } from './site-file.schema.ts';

const LINT = { timeoutMs: 5_000, maxOutputBytes: 8_192 };
/** As in `PHP Parse error:  syntax error, unexpected end of file in ./wp-content/a.php on line 3`. */
const COMPLAINT = /(?:Parse|Fatal) error:\s+(.*?) in \S.*? on line (\d+)/s;

/** What PHP says of a file that does not parse. Null as well where nobody can tell, or not in time: it is only a hint. */
export async function findSyntaxError(services: Services, site: SiteRow, path: string): Promise<PhpFault | null> {
  if (!/\.php$/i.test(path)) return null;
  const args = ['php', '-l', `./wp-content/${path}`] as const;
  // Also while it waits for a process.
  const command = { args, ...LINT, signal: AbortSignal.timeout(LINT.timeoutMs) };
  const said = await services.hosts.exec(specOf(services, site), command).catch(() => undefined);
  if (!said || said.exitCode === 0) return null;
  const [, message, line] = COMPLAINT.exec(`${said.stdout}\n${said.stderr}`) ?? [];
  return message === undefined ? null : { message, line: Number(line) };
}
