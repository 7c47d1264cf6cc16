// Who may import whom: every module has a pure part (`domain/`), open to all, and a shell, open to nobody else.
// tools/checks/boundaries.mjs runs this and fails when no file was looked at.

const domain = '^src/[^/]+/domain/';
const ours = '^(?:src|test|bench)/';
const shellOf = (module) => `^src/${module}/(?!domain/)`;
const modules = ['api', 'actors', 'market', 'jobs', 'admin'];

export default {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment: 'The rules load with decimal.js alone: no other package, no node:*, no shell.',
      severity: 'error',
      from: { path: domain },
      to: { pathNot: [domain, 'node_modules/decimal\\.js/'] },
    },
    ...modules.map((module) => ({
      name: `shell-of-${module}-is-private`,
      comment: 'Modules meet in Redis, not in memory.',
      severity: 'error',
      from: { path: '^src/', pathNot: [`^src/${module}/`, '^src/(main|admin)\\.ts$'] },
      to: { path: shellOf(module) },
    })),
    {
      name: 'shared-knows-no-module',
      comment: 'src/shared is below all modules; it may know npm packages and src/shared/domain.',
      severity: 'error',
      from: { path: '^src/shared/' },
      to: { path: modules.map((module) => `^src/${module}/`) },
    },
    {
      name: 'nobody-imports-main',
      comment: 'The composition root is the end of the graph.',
      severity: 'error',
      from: {},
      to: { path: '^src/(main|admin)\\.ts$' },
    },
    {
      name: 'src-knows-no-test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(?:test|bench|tools)/' },
    },
    {
      name: 'src-needs-no-dev-dependency',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-circle',
      comment: 'Two files may know each other by type; at run time one comes first.',
      severity: 'error',
      from: { path: ours },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'nothing-unresolved', severity: 'error', from: { path: ours }, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules/' },
    exclude: { path: ['node_modules/@types/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
