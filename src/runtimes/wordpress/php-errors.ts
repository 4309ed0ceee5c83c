import type { LoggedError } from '#runtimes/runtime.ts';

/** What PHP calls the kinds of its messages. Whatever has another name is the site's own text. */
const LEVELS: Record<string, LoggedError['level']> = {
  'Fatal error': 'fatal',
  'Parse error': 'fatal',
  'Recoverable fatal error': 'fatal',
  Warning: 'warning',
  Notice: 'notice',
  'Strict Standards': 'notice',
  Deprecated: 'deprecated',
};

const START = /^PHP ([A-Z][A-Za-z ]{3,30}): {2}/;
const END = / on line (\d{1,9})$/;

/** One message of PHP's error log, whatever way it came: `PHP Warning:  … in … on line …`, or any text by error_log(). */
export function readPhpMessage(text: string): Pick<LoggedError, 'level' | 'message' | 'file' | 'line'> {
  const trimmed = text.trim();
  const start = START.exec(trimmed);
  const level = start && LEVELS[start[1] as string];
  if (!level) return { level: 'plain', message: trimmed, file: null, line: null };
  const body = trimmed.slice(start[0].length);
  // Not by one pattern for all: on a long message full of " in " that would take its time.
  const end = END.exec(body.slice(-25));
  const fileAt = end ? body.lastIndexOf(' in ', body.length - end[0].length - 1) : -1;
  if (!end || fileAt < 0) return { level, message: body, file: null, line: null };
  return {
    level,
    // Below the stack trace of an exception PHP says that it was thrown, and where.
    message: body.slice(0, fileAt).replace(/\n {2}thrown$/, ''),
    file: body.slice(fileAt + 4, body.length - end[0].length),
    line: Number(end[1]),
  };
}

/** PHP's own messages among what a command wrote; the rest is the command's. */
export function phpMessagesIn(output: string): string[] {
  return output
    .split(/^(?=PHP [A-Z][A-Za-z ]{3,30}: {2})/m)
    .filter((part) => START.test(part))
    .map((part) => {
      const end = / on line \d{1,9}$/m.exec(part);
      return end ? part.slice(0, end.index + end[0].length) : part;
    });
}
