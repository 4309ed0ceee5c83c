import { setTimeout as sleep } from 'node:timers/promises';
import { type CallToolResult, ResourceNotFoundError, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '#core/auth/caller.ts';
import { createMetrics } from '#core/http/metrics.ts';
import { createApp, NO_SITES } from '#core/http/server.ts';
import { serveMcpServer } from '#features/mcp/mcp.routes.ts';
import { createMcpServer } from '#features/mcp/mcp.ts';
import type { TestApp } from '../app/test-app.ts';

/**
 * The conformance suite asks for tools, resources and prompts of its own names. This has them behind the very door of the platform:
 * the same server, hosts, sign-in, limits and transport. The suite knows no sign-in, so each request is given a token here.
 */
export async function startForSuite(app: TestApp, token: string, kind: 'platform' | 'reference') {
  const { services } = app;
  const server = createApp({
    services,
    metrics: createMetrics(services, []),
    operations: [],
    sites: NO_SITES,
    ready: async () => true,
    pages: (instance) => {
      instance.addHook('onRequest', async (request) => {
        request.headers.authorization = `Bearer ${token}`;
      });
      serveMcpServer(instance, services, ({ authInfo }) =>
        kind === 'reference'
          ? referenceServer()
          : createMcpServer({ services, ...(authInfo?.extra as { caller: Caller; ip: string }) }),
      );
    },
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as { port: number };
  return { url: `http://localhost:${port}/mcp`, close: () => server.close() };
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, said: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: said },
});
const NOTHING = { type: 'object' as const, properties: {} };
type Handle = (context: ServerContext['mcpReq']) => Promise<CallToolResult>;

const TOOLS: Record<string, Handle> = {
  test_simple_text: async () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: async () => ({ content: [image] }),
  test_audio_content: async () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: async () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: async () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: async () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_logging: async ({ log }) => {
    await log('info', 'Tool execution started');
    await sleep(50);
    await log('info', 'Tool processing data');
    await sleep(50);
    await log('info', 'Tool execution completed');
    return { content: [text('Done.')] };
  },
  test_tool_with_progress: async ({ _meta, notify }) => {
    const progressToken = _meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await sleep(50);
    }
    return { content: [text('Done.')] };
  },
};

const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
];

function readOne(uri: string) {
  if (uri === 'test://static-text')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}

type Given = Record<string, string>;
const PROMPTS: Record<string, { arguments: string[]; content(given: Given): object[] }> = {
  test_simple_prompt: { arguments: [], content: () => [text('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    content: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    content: ({ resourceUri = '' }) => [
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: { arguments: [], content: () => [image, text('Please analyze the image above.')] },
};

function referenceServer(): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} };
  const server = new Server({ name: 'reference', version: '1.0.0' }, { capabilities });
  server.setRequestHandler('tools/list', async () => ({
    tools: Object.keys(TOOLS).map((name) => ({ name, description: `The suite's ${name}`, inputSchema: NOTHING })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = TOOLS[params.name];
    if (!tool) throw new Error('There is no such tool.');
    return tool(mcpReq);
  });
  server.setRequestHandler('resources/list', async () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ name: 'template', uriTemplate: 'test://template/{id}/data' }],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => ({ contents: [readOne(params.uri)] }));
  server.setRequestHandler('prompts/list', async () => ({
    prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      description: name,
      arguments: prompt.arguments.map((each) => ({ name: each, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const content = PROMPTS[params.name]?.content(params.arguments ?? {}) ?? [];
    return { messages: content.map((each) => ({ role: 'user', content: each })) as never };
  });
  server.setRequestHandler('completion/complete', async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}
