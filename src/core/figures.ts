import type { Services } from './services.ts';

/** Numbers for Prometheus that are read together, when it asks for them. */
export interface Figures<Name extends string = string> {
  /** By name, without the prefix that all of ours have. */
  metrics: Record<Name, Metric>;
  /** The value of each now, or its values by label. */
  read(services: Services): Promise<Record<Name, Value>> | Record<Name, Value>;
}

interface Metric {
  help: string;
  /** A counter only grows while the process runs. */
  type: 'gauge' | 'counter';
  /** What its values are told apart by. None names a site, a team or a person. */
  label?: string;
  /** What the values of several processes on one port come to. */
  together?: 'sum' | 'max';
}

type Value = number | Record<string, number>;

/** Holds that every declared metric is read. */
export function figures<Name extends string>(declaration: Figures<Name>): Figures {
  return declaration as Figures;
}
