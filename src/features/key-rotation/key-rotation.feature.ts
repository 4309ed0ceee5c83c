import { feature } from '../feature.ts';
import { resealSecrets } from './key-rotation.jobs.ts';

export const keyRotationFeature = feature({
  name: 'key-rotation',
  jobs: [resealSecrets],
  async prepare(tx, { config, jobs }) {
    if (config.previousSecretKeys.length > 0) await jobs.enqueueOnce(tx, resealSecrets, {}, resealSecrets.name);
  },
});
