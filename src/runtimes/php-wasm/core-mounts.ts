import { join } from 'node:path';
import type { Distribution } from '#runtimes/wordpress/distribution.ts';
import { copyImage } from '#runtimes/wordpress/images.ts';
import { imageSite, sharedFolders } from '#runtimes/wordpress/layout.ts';
import type { SiteImages } from '#runtimes/wordpress/site-images.ts';
import { PHP_VERSION, workerSite } from './worker-sites.ts';
import type { CoreMounts } from './workers.ts';

/** What a worker of this version sees of WordPress, and what it is warmed on. */
export async function coreMounts(
  images: SiteImages,
  distribution: Distribution,
  coreVersion: string,
): Promise<CoreMounts> {
  return {
    shared: sharedFolders(distribution.coreFolder(coreVersion), await distribution.tools()),
    prepareWarmSite: async (slot) => {
      const folder = 'warm';
      await copyImage(await images.of(coreVersion, PHP_VERSION), join(slot, folder));
      return { ...workerSite(imageSite(coreVersion, PHP_VERSION)), folder };
    },
  };
}
