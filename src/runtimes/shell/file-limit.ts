/** The same program, where no file can become larger; without a sandbox there is no other place to say so. */
export function withFileLimit(fileBytes: number, file: string, args: readonly string[] = []) {
  const script = `trap "" XFSZ; ulimit -f ${Math.ceil(fileBytes / 512)}; exec "$0" "$@"`;
  return { file: '/bin/sh', args: ['-c', script, file, ...args] };
}
