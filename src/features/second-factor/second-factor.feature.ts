import { feature } from '../feature.ts';
import { deleteOldChallenges } from './challenge.sql.ts';

export const secondFactorFeature = feature({ name: 'second-factor', housekeeping: deleteOldChallenges });
