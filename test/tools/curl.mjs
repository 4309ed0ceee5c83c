import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** As much of curl as the guides use, for machines that have none, or one from before --json. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    json: { type: 'string' },
  },
});
const headers = new Headers(values.header.map(splitHeader));
if (values.json !== undefined) {
  headers.set('content-type', 'application/json');
  if (!headers.has('accept')) headers.set('accept', 'application/json');
}
const method = values.request ?? (values.json === undefined ? 'GET' : 'POST');
const answer = await fetch(positionals[0], {
  method,
  headers,
  ...(values.json !== undefined && { body: values.json }),
});
process.stdout.write(Buffer.from(await answer.arrayBuffer()));
// The setting that has an answer which says no end a block.
if (!answer.ok && existsSync(join(process.env.CURL_HOME ?? '', '.curlrc'))) process.exitCode = 22;

function splitHeader(line) {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1).trim()];
}
