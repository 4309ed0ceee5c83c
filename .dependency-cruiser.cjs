const swc = require('@swc/core');

// This version of dependency-cruiser never tells swc that a .tsx file holds JSX (its issue 1081; a later major version does).
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') });

/** The arrows of the house: main -> features, edge -> integrations -> core. A feature reaches another through its one public file. */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'core-stands-alone',
      comment:
        'core knows no feature, no integration and no edge. Services names the port of runtimes and the time machine, types alone.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: {
        path: '^src/(features|integrations|edge|runtimes|timemachine|platform|main)',
        pathNot: ['^src/runtimes/runtime\\.ts$', '^src/timemachine/process/time-machine\\.ts$'],
      },
    },
    {
      name: 'engines-know-no-feature',
      severity: 'error',
      from: { path: '^src/(integrations|edge|runtimes|timemachine)/' },
      to: { path: '^src/(features|platform|main)' },
    },
    {
      name: 'features-through-the-front-door',
      comment: 'Another feature is used through <resource>.ts; its schemas may be embedded in ours.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: {
        path: '^src/features/([^/]+)/',
        pathNot: ['^src/features/$1/', '^src/features/([^/]+)/\\1\\.ts$', '\\.schema\\.ts$', '^src/features/plan/'],
      },
    },
    {
      name: 'sql-stays-in-sql-files',
      comment: 'pg is for core and *.sql.ts alone.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/core/', '\\.sql\\.ts$', '^src/platform/'] },
      to: { path: 'node_modules/(pg|kysely|pg-boss)/' },
    },
    {
      name: 'http-stays-in-routes',
      comment: 'fastify is for core and *.routes.ts alone.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/core/', '\\.routes\\.ts$'] },
      to: { path: 'node_modules/fastify/' },
    },
    {
      name: 'clients-know-the-sdk-alone',
      severity: 'error',
      from: { path: '^(web|cli|mcp|sdk)/' },
      to: { path: '^src/' },
    },
    {
      name: 'web-knows-the-client-alone',
      comment:
        'Of the SDK the dashboard sees #sdk and nothing behind it; of the rest of the repository, nothing at all.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^[^/]+/', pathNot: ['^web/', '^node_modules/', '^sdk/client\\.ts$'] },
    },
    {
      name: 'routes-keep-to-themselves',
      comment: 'What two routes share is in ui, api, layout or a folder beside routes; only the router loads a route.',
      severity: 'error',
      from: { path: '^web/src/routes/([^/]+)' },
      to: { path: '^web/src/routes/', pathNot: '^web/src/routes/$1(/|$)' },
    },
    {
      name: 'shared-parts-know-no-route',
      severity: 'error',
      from: { path: '^web/src/', pathNot: ['^web/src/routes/', '^web/src/router\\.tsx$'] },
      to: { path: '^web/src/routes/' },
    },
    {
      name: 'web-arrows',
      comment: 'ui knows neither the API nor what is made of it; api draws nothing.',
      severity: 'error',
      from: { path: '^web/src/(ui|api)/' },
      to: { path: '^web/src/', pathNot: '^web/src/$1/' },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
