import { jobKind } from '#core/jobs/jobs.ts';
import { findSiteById } from '#features/instance/instance.ts';

/** Has the editor on the site's machine by the time somebody opens it. What fails is tried again by whoever does. */
export const prepareEditor = jobKind<{ siteId: string }>({
  name: 'site.prepare_editor',
  lane: 'background',
  async run({ siteId }, { services, commit }) {
    const site = await findSiteById(services.db, siteId);
    if (site?.code_server_enabled) await services.hosts.prepareEditor(site);
    await commit(async () => {});
  },
});
