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
      name: 'product-without-testkit',
      comment:
        'Test support, the driver for sites in memory among it, is no part of the product. Tests themselves use it.',
      severity: 'error',
      from: { path: '^(src|sdk|cli|web)/' },
      to: { path: '^(testkit|test|bench)/' },
    },
    {
      name: 'core-stands-alone',
      comment: 'core knows no feature, no integration and no edge. Services names the hosts of sites, types alone.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: {
        path: '^src/(features|integrations|edge|host|runtimes|sandbox|timemachine|platform|main|run-service)',
        pathNot: ['^src/host/(site-host|local-host)\\.ts$', '^src/host/site-log/site-log\\.ts$'],
      },
    },
    {
      name: 'engines-know-no-feature',
      severity: 'error',
      from: { path: '^src/(integrations|edge|host|runtimes|timemachine)/' },
      to: { path: '^src/(features|platform|main|run-service)' },
    },
    {
      name: 'sites-through-their-host',
      comment: 'Features and the edge know the door to sites and nothing behind it, but for the words that cross it.',
      severity: 'error',
      from: { path: '^src/(features|edge)/' },
      to: {
        path: ['^src/host/', '^src/runtimes/', '^src/timemachine/'],
        pathNot: [
          '^src/host/(site-host|host-unreachable|file-refused)\\.ts$',
          '^src/host/site-log/',
          // What runs is asked over HTTP, with the platform's signature.
          '^src/runtimes/(runtime|request)\\.ts$',
          '^src/runtimes/wordpress/(access|change-words|keep-rules|merge-rules|password|tell-rules)\\.ts$',
          '^src/timemachine/(failure|read|progress|content)\\.ts$',
          '^src/timemachine/process/(protocol|helper-process|tell-rules)\\.ts$',
        ],
      },
    },
    {
      name: 'drivers-know-no-host',
      severity: 'error',
      from: { path: '^src/(runtimes|timemachine)/' },
      to: { path: '^src/(host|edge)/' },
    },
    {
      name: 'sandboxes-belong-to-drivers',
      comment:
        'What runs in a sandbox is a matter of whoever runs sites, or looks at them, and a sandbox knows none of them.',
      severity: 'error',
      from: { path: '^src/(?!runtimes/|sandbox/|integrations/browser/)' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'a-sandbox-knows-nobody',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/(?!sandbox/|core/)' },
    },
    {
      name: 'features-through-the-front-door',
      comment: 'Another feature is used through <resource>.ts; its schemas may be embedded in ours.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: {
        path: '^src/features/([^/]+)/',
        pathNot: ['^src/features/$1/', '^src/features/([^/]+)/\\1\\.ts$', '\\.schema\\.ts$'],
      },
    },
    {
      name: 'features-in-one-direction',
      comment: 'No feature needs, by whatever way round, one that needs it. What is only a type counts too.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/features/[^/]+$' },
      to: { circular: true },
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
      name: 'the-command-line-knows-the-sdk-alone',
      comment: 'It is a package of its own: what it needs of us it asks over the API.',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^[^/]+/', pathNot: ['^cli/', '^node_modules/', '^sdk/(index\\.ts|catalogue\\.json)$'] },
    },
    {
      name: 'the-sdk-knows-nobody',
      severity: 'error',
      from: { path: '^sdk/' },
      to: { pathNot: '^sdk/' },
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
      comment: 'ui knows neither the API nor what is made of it; api draws nothing. Both know whom they are for.',
      severity: 'error',
      from: { path: '^web/src/(ui|api)/' },
      to: { path: '^web/src/', pathNot: ['^web/src/$1/', '^web/src/visit\\.ts$'] },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['\\.test\\.ts$', '/dist/'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
