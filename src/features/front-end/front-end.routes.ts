import { rawOperation } from '#core/http/operation.ts';
import { anyone } from '#core/policy.ts';

export const frontEndOperations = [
  rawOperation({
    id: 'getFrontEnd',
    method: 'GET',
    path: '/fastapi',
    tag: 'front end',
    summary: 'The web application',
    access: anyone,
    produces: 'text/html',
    serve: async ({ services }, request, reply) => services.frontEnd.sendPage(request, reply),
  }),
];
