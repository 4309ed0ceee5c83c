import { EVERY_ROLE } from '#core/part.ts';
import { feature } from '../feature.ts';
import { keepMetricsClientSecret } from './metrics-sign-in.client.ts';
import { metricsSignInOperations } from './metrics-sign-in.routes.ts';

export const metricsSignInFeature = feature({
  name: 'metrics-sign-in',
  operations: metricsSignInOperations,
  parts: [{ name: "Grafana's secret", stage: 'sites', roles: EVERY_ROLE, start: keepMetricsClientSecret }],
});
