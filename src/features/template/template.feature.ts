import { feature } from '../feature.ts';
import { buildTemplate, forgetTemplate } from './template.jobs.ts';
import { templateOperations } from './template.routes.ts';

export const templateFeature = feature({
  name: 'template',
  operations: templateOperations,
  jobs: [buildTemplate, forgetTemplate],
});
