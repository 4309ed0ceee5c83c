/** The API server of the test cluster, for its own small programs: over HTTPS with the operator's certificate. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';

const SERVER = 'https://10.99.0.1:6443';

/** `run` is the folder of the run; `name` is what the server's log calls the program. */
export function openApi(run, name) {
  const read = (file) => readFileSync(join(run, 'certs', file));
  const agent = new Agent({ keepAlive: true, ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') });
  const headers = { 'user-agent': name, 'content-type': 'application/json' };

  /** What it answers. Nothing there, and there already, are no failures. With `onLine` every line of a watch as it comes. */
  function call(method, path, body, onLine) {
    return new Promise((resolve, reject) => {
      const asked = request(`${SERVER}${path}`, { method, agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
          if (!onLine) return;
          const lines = text.split('\n');
          text = lines.pop();
          for (const line of lines) onLine(JSON.parse(line));
        });
        answer.on('error', reject).on('close', () => {
          if (onLine) return resolve();
          const value = JSON.parse(text || '{}');
          if (answer.statusCode < 300 || answer.statusCode === 409 || answer.statusCode === 404) resolve(value);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${value.message}`));
        });
      });
      asked.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  /** Tells of every object at first, and of each change from then on. */
  async function follow(path, { listed = () => {}, changed }) {
    for (;;) {
      try {
        const { items, metadata } = await call('GET', path);
        await listed(items);
        const from = `${path}?watch=1&timeoutSeconds=120&resourceVersion=${metadata.resourceVersion}`;
        await call('GET', from, undefined, ({ type, object }) => {
          if (type !== 'ERROR' && type !== 'BOOKMARK') changed(type, object);
        });
      } catch (error) {
        console.error(error.message);
        await new Promise((done) => setTimeout(done, 500));
      }
    }
  }

  return { call, follow };
}
