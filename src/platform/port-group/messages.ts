import type { MetricFigures } from '#core/http/metrics.ts';
import type { LimitUse } from '#core/http/rate-limits.ts';

/** The ports that a group of processes answers on: the one of plain HTTP, and the one of TLS. */
export type PortName = 'plain' | 'secure';

/** What a further process must know before it reads its configuration. */
export interface Welcome {
  databaseUrl: string;
  secretKey: string;
  /** How many share the ports. */
  processes: number;
  visitorSeed: number;
  /** In base64. */
  ticketKeys: string;
}

/** What one process counts for all of them. */
export type News = { limit: LimitUse } | { visitor: number };

/** Over the channel of a further process. The socket of a port comes along with the message that names it. */
export type ToFurther =
  | { t: 'welcome'; welcome: Welcome }
  | { t: 'port'; name: PortName }
  | { t: 'news'; news: News }
  | { t: 'figures'; id: number }
  | { t: 'page'; id: number; page: string | null };

export type ToFirst =
  | { t: 'hello' }
  | { t: 'port'; name: PortName }
  | { t: 'news'; news: News }
  | { t: 'figures'; id: number; figures: MetricFigures }
  | { t: 'page'; id: number };
