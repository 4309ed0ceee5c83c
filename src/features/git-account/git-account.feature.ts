import { feature } from '../feature.ts';
import { gitAccountOperations } from './git-account.routes.ts';

export const gitAccountFeature = feature({ name: 'git-account', operations: gitAccountOperations });
