import { createMetrics, type Metrics } from '#core/http/metrics.ts';
import { Edge } from '#edge/edge.ts';
import type { Feature } from '#features/feature.ts';
import { siteReports, siteRoutes } from '#features/instance/instance.ts';
import type { Ground } from './ground.ts';
import { connectionFigures, edgeFigures, eventLoopFigures, hostFigures, queueFigures } from './process-figures.ts';
import type { OwnServices } from './services.ts';

/** What the platform's own parts work with, put together and not started yet. */
export interface Assembly {
  services: OwnServices;
  features: readonly Feature[];
  edge: Edge;
  metrics: Metrics;
  /** True once everything has started. */
  isComplete: boolean;
  /** Known once the server listens. */
  port: number | undefined;
}

export function assemble(ground: Ground, services: OwnServices, features: readonly Feature[]): Assembly {
  const { config, hosts, localHost, outbound, log } = services;
  const edge = new Edge({
    routes: siteRoutes(services),
    reports: siteReports(services),
    host: hosts,
    outbound,
    trustProxy: config.trustProxy,
    baseUrl: config.baseUrl,
    hstsSeconds: config.hstsSeconds,
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
  return { services, features, edge, metrics, isComplete: false, port: undefined };
}
