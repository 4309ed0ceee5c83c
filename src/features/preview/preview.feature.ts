import { feature } from '../feature.ts';
import { buildPreview } from './preview.jobs.ts';
import { previewOperations } from './preview.routes.ts';

/** A site as it was, to be browsed for half an hour by whoever asked. Its end is that of every copy (features/instance). */
export const previewFeature = feature({
  name: 'preview',
  operations: previewOperations,
  jobs: [buildPreview],
});
