import { feature } from '../feature.ts';
import { buildTemplate, forgetTemplate } from './template.jobs.ts';
import { templateOperations } from './template.routes.ts';
import { prepareShipped, shipTemplates } from './template.shipped.ts';

export const templateFeature = feature({
  name: 'template',
  operations: templateOperations,
  jobs: [buildTemplate, forgetTemplate, shipTemplates],
  prepare: prepareShipped,
});
