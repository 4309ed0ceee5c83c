import { createMetrics, type Metrics } from '#core/http/metrics.ts';
import { Edge } from '#edge/edge.ts';
import type { RouteSource } from '#edge/route.ts';
import type { Feature } from '#features/feature.ts';
import { withPreviews } from '#features/preview/preview.ts';
import { siteReports, siteRoutes } from '#features/site/site.ts';
import type { Ground } from './ground.ts';
import { connectionFigures, edgeFigures, eventLoopFigures, hostFigures, queueFigures } from './process-figures.ts';
import type { OwnServices } from './services.ts';

/** What the platform's own parts work with, put together and not started yet. */
export interface Assembly {
  services: OwnServices;
  features: readonly Feature[];
  routes: RouteSource;
  edge: Edge;
  metrics: Metrics;
  /** True once everything has started. */
  isComplete: boolean;
  /** Known once the server listens. */
  port: number | undefined;
}

export function assemble(ground: Ground, services: OwnServices, features: readonly Feature[]): Assembly {
  const routes = {
    ...withPreviews(services, siteRoutes(services)),
    subscribe: async (changed: (siteId: string | undefined) => void) => services.siteChanges.subscribe(changed),
  };
  const { config, hosts, localHost, outbound, log } = services;
  const edge = new Edge({
    routes,
    reports: siteReports(services),
    host: hosts,
    outbound,
    trustProxy: config.trustProxy,
    baseUrl: config.baseUrl,
    log,
  });
  const metrics = createMetrics(services, [
    queueFigures(services.jobs),
    connectionFigures(ground.pool),
    ...(localHost ? [hostFigures(localHost)] : []),
    eventLoopFigures(),
    ...(config.roles.has('edge') ? [edgeFigures(edge.totals)] : []),
    ...features.flatMap(({ figures = [] }) => figures),
  ]);
  return { services, features, routes, edge, metrics, isComplete: false, port: undefined };
}
