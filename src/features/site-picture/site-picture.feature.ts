import { feature } from '../feature.ts';
import { sitePictureOperations } from './site-picture.routes.ts';
import { existingSites } from './site-picture.sql.ts';
import { studioOf } from './site-picture.ts';

const TIDY_MS = 3_600_000;

export const sitePictureFeature = feature({
  name: 'site-picture',
  operations: sitePictureOperations,
  parts: [
    {
      name: 'the pictures of sites',
      stage: 'work',
      roles: ['api'],
      async start(services) {
        const studio = studioOf(services);
        const tidy = () =>
          studio.shelf
            .tidy((ids) => existingSites(services.db, ids))
            .catch((error) => services.log.warn({ err: error }, 'pictures of sites could not be tidied'));
        const timer = setInterval(() => void tidy(), TIDY_MS).unref();
        return async () => {
          clearInterval(timer);
          await studio.close();
        };
      },
    },
  ],
});
