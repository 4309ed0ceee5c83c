import { constants } from 'node:fs';
import { open, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutgoingMail, SiteStatus } from '#runtimes/runtime.ts';
import { readMailFile } from './mail-file.ts';

/**
 * What a site leaves for the platform: mail to send and how it is. The site's own PHP writes these files, so nothing in
 * them is taken on trust: not their names, their number, their size or what they are.
 */
const STATUS_LIMIT_BYTES = 10_000;
const NAMES_LIMIT = 10_000;
/** Of whatever lies there, mail or not. */
const ENTRIES_LIMIT = 50_000;
const TITLE_LIMIT = 300;
const URL_LIMIT = 2_000;
const MAIL_NAME = /^mail-(\d{1,11})-[0-9a-f]+\.json$/;

export function isMail(name: string): boolean {
  return MAIL_NAME.test(name);
}

/** The names of waiting mails, oldest first. */
export async function mailNames(outbox: string): Promise<string[]> {
  const names: string[] = [];
  let entries = 0;
  try {
    for await (const { name } of await opendir(outbox)) {
      if (isMail(name)) names.push(name);
      if (names.length >= NAMES_LIMIT || ++entries >= ENTRIES_LIMIT) break;
    }
  } catch {
    // The site was deleted meanwhile.
  }
  return names.sort();
}

export async function* readMail(outbox: string): AsyncGenerator<OutgoingMail> {
  for (const name of await mailNames(outbox)) {
    const file = join(outbox, name);
    // It may be a folder that only looks like a mail.
    const drop = () => rm(file, { recursive: true, force: true });
    const mail = await readMailFile(file);
    const writtenAt = new Date(Number(MAIL_NAME.exec(name)?.[1]) * 1000);
    if (mail) yield { ...mail, writtenAt, drop };
    else await drop().catch(() => {});
  }
}

/** Undefined: there is none that could be read. */
export async function readStatus(outbox: string): Promise<SiteStatus | undefined> {
  const status = asObject(await readWithin(join(outbox, 'status.json'), STATUS_LIMIT_BYTES));
  if (!status) return undefined;
  const { favicon_url, next_cron, title } = status;
  const icon = typeof favicon_url === 'string' ? URL.parse(favicon_url) : null;
  const isIcon = icon && /^https?:$/.test(icon.protocol) && icon.href.length <= URL_LIMIT;
  const isTime = Number.isInteger(next_cron) && (next_cron as number) > 0 && (next_cron as number) < 1e11;
  return {
    // As the parser spells it, which leaves no character in it that means something elsewhere.
    faviconUrl: isIcon ? icon.href : null,
    title: typeof title === 'string' ? inOneLine(title) : null,
    nextCronAt: isTime ? new Date((next_cron as number) * 1000) : null,
  };
}

/** Whatever a site calls itself, without what would change the line that it stands in. */
function inOneLine(text: string): string {
  return [
    ...text
      .slice(0, 4 * TITLE_LIMIT)
      .toWellFormed()
      .replaceAll(/[\p{C}\s]+/gu, ' ')
      .trim(),
  ]
    .slice(0, TITLE_LIMIT)
    .join('');
}

function asObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a file of at most this size; undefined for everything else, whatever it is. */
async function readWithin(file: string, limitBytes: number): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {});
  if (!handle) return undefined;
  try {
    const entry = await handle.stat();
    if (!entry.isFile() || entry.size > limitBytes) return undefined;
    const buffer = Buffer.alloc(entry.size);
    const { bytesRead } = await handle.read(buffer, 0, entry.size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await handle.close().catch(() => {});
  }
}
