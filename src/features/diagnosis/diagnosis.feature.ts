import { feature } from '../feature.ts';
import { diagnosisOperations } from './diagnosis.routes.ts';

export const diagnosisFeature = feature({ name: 'diagnosis', operations: diagnosisOperations });
