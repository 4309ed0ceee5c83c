import { feature } from '../feature.ts';
import { proxyOperations } from './proxy.routes.ts';
import { noteAnalytics } from './proxy.sql.ts';

export const proxyFeature = feature({
  name: 'proxy',
  operations: proxyOperations,
  async prepare(tx, { config }) {
    if (config.analytics) await noteAnalytics(tx);
  },
});
