import { feature } from '../feature.ts';
import { buildPreview } from './preview.jobs.ts';
import { previewOperations } from './preview.routes.ts';

export const previewFeature = feature({
  name: 'preview',
  operations: previewOperations,
  jobs: [buildPreview],
});
