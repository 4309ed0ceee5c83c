import { UNKNOWN_EXIT_CODE } from '#runtimes/commands.ts';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import { LAYOUT } from './layout.ts';

/** PHP programs that a command can name. */
const WP_CLI = `${LAYOUT.wpCli}/wp-cli.phar`;
const WP_FLAGS = [`--path=${LAYOUT.core}`, '--allow-root', `--require=${LAYOUT.platform}/wp-cli/commands.php`];
const NO_COLOR = '--no-color';

/** What is said of a command that names no such program; nothing has to start for that. */
export function refuseUnknown({ args: [program] }: Command): CommandResult | undefined {
  if (program === 'wp' || program === 'php') return undefined;
  const stderr = `${program}: command not found\n`;
  return { exitCode: UNKNOWN_EXIT_CODE, stdout: '', stderr, truncated: false, durationMs: 0 };
}

/** What PHP is started with for it. */
export function phpArguments({ args: [program, ...rest], isTerminal }: Command): string[] {
  return program === 'wp' ? [WP_CLI, ...WP_FLAGS, ...(isTerminal ? [] : [NO_COLOR]), ...rest] : rest;
}
