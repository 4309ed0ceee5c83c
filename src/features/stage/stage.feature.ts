import { feature } from '../feature.ts';
import { carryToLive } from './commit.jobs.ts';
import { buildStage, forgetStage } from './stage.jobs.ts';
import { stageOperations } from './stage.routes.ts';

export const stageFeature = feature({
  name: 'stage',
  operations: stageOperations,
  jobs: [buildStage, carryToLive, forgetStage],
});
