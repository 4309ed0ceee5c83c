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
