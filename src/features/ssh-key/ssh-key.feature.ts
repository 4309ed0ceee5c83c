import { feature } from '../feature.ts';
import { sshKeyOperations } from './ssh-key.routes.ts';

export const sshKeyFeature = feature({ name: 'ssh-key', operations: sshKeyOperations });
