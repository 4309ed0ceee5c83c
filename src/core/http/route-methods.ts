import type { FastifyInstance } from 'fastify';

/** Records the routes that are registered from now on. Returns a function that lists the methods which the path of a URL takes. */
export function collectMethods(app: FastifyInstance): (url: string) => string[] {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    // A wildcard matches every path without its own route, so its method says nothing about a single URL.
    if (url.includes('*')) return;
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) route.methods.add(each);
    routes.set(url, route);
  });
  return (url) => {
    const path = url.replace(/[?#].*$/s, '').replace(/(?<=.)\/$/, '');
    const found = [...routes.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  };
}

/** Matches the paths that the router would take for the route, its parameters being one segment each. */
const patternOf = (url: string) =>
  new RegExp(`^${url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`);
