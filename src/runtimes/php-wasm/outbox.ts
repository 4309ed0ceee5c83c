import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutgoingMail, SiteStatus } from '#runtimes/runtime.ts';

/**
 * What a site leaves for the platform: mail to send and how it is. The site's own PHP writes these files, so nothing in
 * them is taken on trust.
 */
const MAIL_LIMIT_BYTES = 30 * 1024 * 1024;
const STATUS_LIMIT_BYTES = 10_000;
const MAILS_AT_ONCE = 100;

export async function readMail(outbox: string): Promise<OutgoingMail[]> {
  const names = (await readdir(outbox).catch(() => [])).filter((name) => /^mail-[\w-]+\.json$/.test(name)).sort();
  const mails: OutgoingMail[] = [];
  for (const name of names.slice(0, MAILS_AT_ONCE)) {
    const file = join(outbox, name);
    const drop = () => rm(file, { force: true });
    const mail = parseMail(await readWithin(file, MAIL_LIMIT_BYTES));
    if (mail) mails.push({ ...mail, drop });
    else await drop();
  }
  return mails;
}

export async function readStatus(outbox: string): Promise<SiteStatus | undefined> {
  const { favicon_url, next_cron } = asObject(await readWithin(join(outbox, 'status.json'), STATUS_LIMIT_BYTES)) ?? {};
  const isUrl = typeof favicon_url === 'string' && /^https?:\/\//.test(favicon_url) && URL.canParse(favicon_url);
  const isTime = Number.isInteger(next_cron) && (next_cron as number) > 0 && (next_cron as number) < 1e11;
  return {
    faviconUrl: isUrl ? favicon_url : null,
    nextCronAt: isTime ? new Date((next_cron as number) * 1000) : null,
  };
}

function parseMail(text: string | undefined): Omit<OutgoingMail, 'drop'> | undefined {
  const { from, to, message } = asObject(text) ?? {};
  const isAddress = (value: unknown): value is string =>
    typeof value === 'string' && /^[^\s@<>]+@[^\s@<>]+$/.test(value);
  if (!isAddress(from) || !Array.isArray(to) || to.length === 0 || to.length > 500 || !to.every(isAddress))
    return undefined;
  return typeof message === 'string' ? { from, to, message: Buffer.from(message, 'base64') } : undefined;
}

function asObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

async function readWithin(file: string, limitBytes: number): Promise<string | undefined> {
  const size = await stat(file).then(
    (entry) => (entry.isFile() ? entry.size : Number.POSITIVE_INFINITY),
    () => Number.POSITIVE_INFINITY,
  );
  return size <= limitBytes ? readFile(file, 'utf8') : undefined;
}
