import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type AppError, bodyFault } from '#core/errors.ts';
import { type FetchedFile, GitFailed } from '#core/git.ts';
import type { Services } from '#core/services.ts';
import { accountFor, credentialOf } from '#features/git-account/git-account.ts';
import type { ArchivedSite, ArchiveSource } from '#runtimes/runtime.ts';
import { templateRefused, templateUnreachable } from './template.schema.ts';

const NAMES = ['site.zip', 'site.tar.gz', 'site.tar.zst'];
const LFS = 'version https://git-lfs';

/** The archive in a repository, as whoever made the template may read it. */
export async function withArchive<T>(
  db: Db,
  services: Services,
  whose: { userId: string; mayUseAccounts: boolean; url: string },
  work: (file: FetchedFile) => Promise<T>,
): Promise<T> {
  const url = services.git.readUrl(whose.url.trim());
  const account = whose.mayUseAccounts ? await accountFor(db, whose.userId, url) : undefined;
  const credential = account && credentialOf(services, account);
  return services.git.withFile(url, { credential, who: whose.userId, names: NAMES }, async (file) => {
    if ((await file.read(0, LFS.length)).toString() === LFS)
      throw new ArchiveRefused(`${file.name} is kept in Git LFS, which is not fetched; commit it as it is`);
    return work(file);
  });
}

export interface InspectedArchive extends ArchivedSite {
  commit: string;
}

/** Reads the archive to its end, so that whoever asks is told at once what is wrong with it. */
export async function inspectArchive(
  db: Db,
  services: Services,
  caller: Caller,
  { url, theme }: { url: string; theme: string | undefined },
): Promise<InspectedArchive> {
  // A token for one team acts for that team, and the account's credentials are not the team's.
  const whose = { userId: caller.userId, mayUseAccounts: caller.credential.teamId === null, url };
  try {
    return await withArchive(db, services, whose, async ({ commit, readme, sizeBytes, read }) => {
      const found = await inspectWithTheme(services, { sizeBytes, read }, theme);
      return { ...found, readme: found.readme ?? readme, commit };
    });
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

/** Reports a refused archive as a fault of `theme` if the archive is sound without it. */
async function inspectWithTheme(
  { hosts, config }: Services,
  archive: ArchiveSource,
  theme: string | undefined,
): Promise<ArchivedSite> {
  try {
    return await hosts.inspect(config.newSites, archive, theme);
  } catch (error) {
    if (theme === undefined || !(error instanceof ArchiveRefused)) throw error;
    await hosts.inspect(config.newSites, archive);
    throw refused(error.message, 'theme');
  }
}

/** Whose fault it is that nothing can be made of a repository; undefined where it is ours. */
export function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof ArchiveRefused) return refused(`the archive can not be taken: ${error.message}`);
  if (!(error instanceof GitFailed)) return undefined;
  const { reason, message } = error;
  if (['timeout', 'unreachable', 'host_key', 'failed', 'not_configured'].includes(reason))
    return templateUnreachable({ message });
  return refused(message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, ''));
}

const refused = (why: string, field: 'url' | 'theme' = 'url') => {
  const msg = `Value error, ${why}`;
  return templateRefused({ message: why, faults: [bodyFault(field, msg)] });
};
