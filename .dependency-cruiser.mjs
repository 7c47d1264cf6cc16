// Who may import whom: every module has a pure part (`domain/`, of the actors `core/`, of a feature `rules.ts`), open to all, and a shell, open to nobody else.
// Inside src/actors/core the folders stand in an order (tools/checks/floors.mjs). tools/checks/boundaries.mjs runs this, and
// proves on a made-up tree of violations (tools/checks/violations.mjs) that every rule below still finds what it is for.

import { FLOORS } from './tools/checks/floors.mjs';
import { COMPOSITION } from './tools/checks/folders.mjs';

const domain = '^src/(?:[^/]+/domain/|actors/core/|features/rules\\.ts$|features/[^/]+/rules(?:\\.ts$|/))';
const ours = '^(?:src|test|bench)/';
const shellOf = (module) => `^src/${module}/(?!domain/|core/)`;
const modules = ['api', 'actors', 'market', 'jobs', 'dashboard'];
/** What endpoints are made of. */
const ofEveryEndpoint = '^src/api/(?:contract|http|access|accounts|account|auth)/';
const floor = (name) => `^src/actors/core/${name}/`;

export default {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment: 'The rules load with decimal.js alone: no other package, no node:*, no shell.',
      severity: 'error',
      from: { path: domain },
      to: { pathNot: [domain, 'node_modules/decimal\\.js/'] },
    },
    ...FLOORS.map((name, index) => ({
      name: `floor-of-${name}`,
      comment: 'A folder of the trading rules imports only what stands before it.',
      severity: 'error',
      from: { path: floor(name) },
      to: { path: '^src/actors/core/', pathNot: FLOORS.slice(0, index + 1).map(floor) },
    })),
    ...modules.map((module) => ({
      name: `shell-of-${module}-is-private`,
      comment:
        'Modules meet in Redis, not in memory. The endpoints of features are made of the parts of the API that all endpoints have.',
      severity: 'error',
      from: { path: '^src/', pathNot: [`^src/${module}/`, '^src/(main|admin)\\.ts$'] },
      to: { path: shellOf(module), ...(module === 'api' && { pathNot: ofEveryEndpoint }) },
    })),
    {
      name: 'api-is-for-features',
      comment: 'Modules meet in Redis, not in memory: of other modules only features and operators have endpoints.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(?:api|features|operators)/', '^src/(main|admin)\\.ts$'] },
      to: { path: ofEveryEndpoint },
    },
    {
      name: 'api-knows-no-feature',
      comment: 'The API lists the endpoints of features where it is composed; no other file of it knows them.',
      severity: 'error',
      from: { path: '^src/api/', pathNot: COMPOSITION },
      to: { path: '^src/features/', pathNot: domain },
    },
    {
      name: 'features-know-no-feature',
      comment:
        'What two features need is core. The lists of all features (src/features/*.ts) know them; forks are given the rules with all of them.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'core-knows-no-feature',
      comment: 'The lists of what features do are given to the core, the engine and the jobs; roles know the lists.',
      severity: 'error',
      from: {
        path: '^src/(?:actors|jobs|shared|market)/',
        pathNot: '^src/(?:actors|jobs)/role\\.ts$',
      },
      to: { path: '^src/features/' },
    },
    {
      name: 'operators-know-the-rules',
      comment: 'Operators fold entries by the rules with all features; they know nothing else of a feature.',
      severity: 'error',
      from: { path: '^src/operators/' },
      to: { path: '^src/features/', pathNot: '^src/features/rules\\.ts$' },
    },
    {
      name: 'dashboard-is-a-client',
      comment: 'The dashboard knows the service by its public API alone.',
      severity: 'error',
      from: { path: '^src/dashboard/' },
      to: { path: '^src/(?!dashboard/)' },
    },
    {
      name: 'shared-knows-no-module',
      comment: 'src/shared is below all modules; it may know npm packages and src/shared/domain.',
      severity: 'error',
      from: { path: '^src/shared/' },
      to: { path: modules.map((module) => `^src/${module}/`) },
    },
    {
      name: 'operators-know-no-process',
      comment:
        'src/operators has what operators do by bin/admin and /v1/admin; it knows the stores, the pure rules and what endpoints are made of, and no process.',
      severity: 'error',
      from: { path: '^src/operators/' },
      to: { path: '^src/', pathNot: ['^src/operators/', '^src/shared/', ofEveryEndpoint, domain] },
    },
    {
      name: 'operators-are-asked-by-two',
      comment: 'Operators act through bin/admin and /v1/admin.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/operators/', '^src/admin\\.ts$', COMPOSITION] },
      to: { path: '^src/operators/' },
    },
    {
      name: 'contract-is-below-endpoints',
      comment: 'src/api/contract has the words that every endpoint uses; it knows no endpoint.',
      severity: 'error',
      from: { path: '^src/api/contract/' },
      to: { path: '^src/api/(?!contract/|domain/)' },
    },
    {
      name: 'documents-are-above-endpoints',
      comment: 'src/api/documents describes every endpoint; only the server and the registry know it.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/api/documents/', '^src/api/(server|registry)\\.ts$'] },
      to: { path: '^src/api/documents/' },
    },
    {
      name: 'registry-is-for-roles',
      comment: 'src/api/registry.ts lists every endpoint; only a role loads them all.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/api/role\\.ts$'] },
      to: { path: '^src/api/registry\\.ts$' },
    },
    {
      name: 'nobody-imports-main',
      comment: 'The composition root is the end of the graph.',
      severity: 'error',
      from: {},
      to: { path: '^src/(main|admin|leave)\\.ts$' },
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
      // The dashboard is bundled: what it needs is in the files that are served.
      from: { path: '^src/', pathNot: '^src/dashboard/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-circle',
      comment: 'Of two files one can be read first: they do not know each other, not even by type.',
      severity: 'error',
      from: { path: ours },
      to: { circular: true },
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
