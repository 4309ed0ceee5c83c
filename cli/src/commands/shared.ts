import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

export type GetCli = () => Promise<Cli>;
export interface JsonFlag {
  json?: string | boolean;
}
export interface WorkFlags {
  wait?: boolean;
}
export interface YesFlag {
  yes?: boolean;
}
export interface TeamFlag {
  team?: string;
}
export interface StageFlag {
  stage?: boolean;
}

export const SITE = 'the name of the site; without a dot, one below the domain of the platform';

/** A command below a group. */
export const sub = (group: Command, usage: string, about: string): Command =>
  group.command(usage).description(about).copyInheritedSettings(group);

export const withJson = (command: Command): Command =>
  command.option('--json [fields]', 'as JSON; only these fields, with commas between them');
export const withNoWait = (command: Command): Command =>
  command.option('--no-wait', 'do not wait for the end of the work');
export const withYes = (command: Command): Command => command.option('-y, --yes', 'do not ask');
export const withTeam = (command: Command): Command =>
  command.option('--team <team>', 'its name or id; otherwise the team in use');
export const withStage = (command: Command): Command => command.option('--stage', 'its staging site instead');

/** All of a list, or as many as are wanted. */
export async function take<T>(items: AsyncIterable<T>, limit: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= limit) break;
  }
  return taken;
}

export const limitOption = ['-L, --limit <number>', 'how many at most', '50'] as const;

export function limitOf({ limit }: { limit: string }): number {
  const wanted = Number.parseInt(limit, 10);
  return wanted > 0 ? wanted : 50;
}

/** Only what was given: the API tells a missing field from an empty one. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
