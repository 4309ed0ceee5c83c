import { createMetrics, type Metrics } from '#core/http/metrics.ts';
import { Edge } from '#edge/edge.ts';
import { DEFAULT_LIMITS, type EdgeLimits } from '#edge/limits.ts';
import type { Feature } from '#features/feature.ts';
import { siteReports, siteRoutes } from '#features/instance/instance.ts';
import type { Ground } from './ground.ts';
import type { PortGroup } from './port-group/port-group.ts';
import {
  connectionFigures,
  databaseFigures,
  databaseSizeFigures,
  edgeFigures,
  eventLoopFigures,
  hostFigures,
  machineFigures,
  queueFigures,
} from './process-figures.ts';
import type { OwnServices } from './services.ts';

/** What the platform's own parts work with, put together and not started yet. */
export interface Assembly {
  services: OwnServices;
  features: readonly Feature[];
  edge: Edge;
  metrics: Metrics;
  /** The processes that answer on the same ports. */
  group: PortGroup;
  /** True once everything has started. */
  isComplete: boolean;
  /** Known once the server listens. */
  port: number | undefined;
}

export function assemble(
  ground: Ground,
  services: OwnServices,
  features: readonly Feature[],
  group: PortGroup,
): Assembly {
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
    limits: limitsOf(config.edgeProcesses),
    group: { visitorSeed: group.visitorSeed, tellVisitor: (visitor) => group.tell({ visitor }) },
  });
  group.hear((news) => ('limit' in news ? services.limits.count(news.limit) : edge.heardOf(news.visitor)));
  const metrics = createMetrics(services, [
    // What is true of the whole platform is told once.
    ...(config.sharesPorts
      ? []
      : [
          machineFigures(config),
          databaseFigures(services.db),
          databaseSizeFigures(services.db),
          queueFigures(services.jobs),
          ...features.flatMap(({ figures = [] }) => figures),
        ]),
    connectionFigures(ground.pool),
    ...(localHost ? [hostFigures(localHost)] : []),
    eventLoopFigures(group),
    ...(config.roles.has('edge') ? [edgeFigures(edge.totals)] : []),
  ]);
  edge.totals.onAnswered = metrics.observeVisit;
  group.answerFigures(metrics);
  return { services, features, edge, metrics, group, isComplete: false, port: undefined };
}

/** What all sites of a machine may take together, in equal parts for the processes that serve them. */
function limitsOf(processes: number): Partial<EdgeLimits> {
  const { pageCacheBytes, notFoundCacheBytes, fileCacheBytes, coreFileCacheBytes } = DEFAULT_LIMITS;
  const { compressBytes, allBodiesBytes, siteBodiesBytes } = DEFAULT_LIMITS;
  return {
    pageCacheBytes: pageCacheBytes / processes,
    notFoundCacheBytes: notFoundCacheBytes / processes,
    fileCacheBytes: fileCacheBytes / processes,
    coreFileCacheBytes: coreFileCacheBytes / processes,
    compressBytes: compressBytes / processes,
    // What one site may take always fits.
    allBodiesBytes: Math.max(siteBodiesBytes, allBodiesBytes / processes),
  };
}
