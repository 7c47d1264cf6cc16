// A made-up tree with one violation of each rule in .dependency-cruiser.mjs, beside imports that are allowed. The
// boundary check cruises it in a separate folder: a rule that stays silent there would stay silent about src too.

import { FLOORS } from './floors.mjs';

/** @typedef {{ readonly rule: string, readonly from: string, readonly to: string }} Violation */

const nothing = 'export {};\n';
const importing = (/** @type {string} */ specifier) => `import '${specifier}';\n`;
const importingType = (/** @type {string} */ specifier) => `import type { T } from '${specifier}';\nexport type { T };\n`;
const domain = 'src/actors/core';

/** Files by path. @type {Record<string, string>} */
export const FILES = {
  'package.json': JSON.stringify({ dependencies: { 'decimal.js': '1', ours: '1' }, devDependencies: { tool: '1' } }),
  'tsconfig.json': '{}',
  ...Object.fromEntries(
    ['decimal.js', 'ours', 'tool'].flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' })],
      [`node_modules/${name}/index.js`, ''],
    ]),
  ),

  // A pure file asks for the file system, a package and a shell; the file beside it keeps to the rules.
  'src/market/domain/readsFiles.ts': importing('node:fs'),
  'src/market/domain/usesPackage.ts': importing('ours'),
  'src/api/domain/stream/knowsShell.ts': importingType('../../server.ts'),
  'src/market/domain/pure.ts': importing('decimal.js') + importing('../../shared/domain/decimal.ts'),
  'src/shared/domain/decimal.ts': nothing,

  // Each floor looks at the one above it and at the one below; the last one looks at the root.
  [`${domain}/decide.ts`]: FLOORS.map((floor) => importing(`./${floor}/low.ts`)).join(''),
  ...Object.fromEntries(
    FLOORS.flatMap((floor, index) => {
      const below = FLOORS[index - 1];
      return [
        [`${domain}/${floor}/low.ts`, below === undefined ? nothing : importing(`../${below}/low.ts`)],
        [`${domain}/${floor}/high.ts`, importingType(aboveOf(index))],
      ];
    }),
  ),

  // Modules meet in Redis.
  'src/actors/engine/pod/pod.ts': importingType('../../../api/server.ts'),
  'src/api/server.ts': importing('../actors/engine/shard/shard.ts') + importing('./documents/openApi.ts'),
  'src/actors/engine/shard/shard.ts': importing('../../../shared/redis.ts') + importing('../../../market/domain/pure.ts'),
  'src/api/readsLeader.ts': importing('../market/leader.ts'),
  'src/market/leader.ts': nothing,
  'src/api/startsJob.ts': importing('../jobs/job.ts'),
  'src/jobs/job.ts': nothing,
  'src/api/readsPage.ts': importing('../dashboard/main.ts'),
  'src/dashboard/main.ts': importing('tool'),
  'src/dashboard/knowsMoney.ts': importing('../shared/domain/decimal.ts'),
  'src/shared/redis.ts': importing('ours'),
  'src/shared/knowsModule.ts': importingType('../market/domain/pure.ts'),

  // Commands and endpoints of operators share their acts.
  'src/admin.ts': importing('./operators/user.ts'),
  'src/api/apiParts.ts': importing('../operators/user.ts'),
  'src/operators/user.ts':
    importing('../shared/redis.ts') + importing('../market/domain/pure.ts') + importing('../api/http/answers.ts'),
  'src/operators/folds.ts': importing('../features/rules.ts'),
  'src/operators/knowsFeature.ts': importing('../features/lab/rules.ts'),
  'src/operators/knowsMain.ts': importing('../importsMain.ts'),
  'src/jobs/showsUser.ts': importing('../operators/user.ts'),

  // A feature knows the core and no other feature; the core knows none.
  'src/features/twap/rules.ts': importing('../../actors/core/decide.ts'),
  'src/features/lab/rules.ts': importing('../twap/rules.ts'),
  'src/features/rules.ts': importing('./twap/rules.ts') + importing('./lab/rules.ts'),
  'src/features/lab/endpoints.ts': importing('../../api/http/answers.ts') + importing('./rules.ts'),
  'src/features/lab/store.ts': importing('../../api/server.ts'),
  'src/api/http/answers.ts': nothing,
  'src/api/http/knowsFeature.ts': importing('../../features/lab/store.ts'),
  'src/jobs/answers.ts': importing('../api/http/answers.ts'),
  'src/shared/knowsFeature.ts': importingType('../features/twap/rules.ts'),

  // The words of the API are below its endpoints, its documents above them.
  'src/api/contract/endpoint.ts': importingType('../info/meta.ts'),
  'src/api/info/meta.ts': nothing,
  'src/api/info/readsDocument.ts': importing('../documents/openApi.ts'),
  'src/api/info/readsRegistry.ts': importing('../registry.ts'),
  'src/api/registry.ts': importing('../features/lab/endpoints.ts'),
  'src/api/documents/openApi.ts': importing('../info/meta.ts') + importing('../contract/endpoint.ts'),

  // The composition root imports everything and is imported by nothing.
  'src/main.ts': importing('./api/server.ts') + importing('./actors/engine/shard/shard.ts'),
  'src/importsMain.ts': importing('./main.ts'),
  'src/importsTest.ts': importing('../test/support/words.ts'),
  'test/support/words.ts': importing('../../src/shared/redis.ts'),

  // Packages and files that are not there when the service runs.
  'src/shared/usesTool.ts': importing('tool'),
  'src/shared/takesType.ts': importingType('tool'),
  'src/shared/guesses.ts': importing('./isNotThere.ts'),

  // Two files that need each other, by value and by type alone.
  'src/shared/chicken.ts': importing('./egg.ts'),
  'src/shared/egg.ts': importing('./chicken.ts'),
  'test/support/question.ts': importingType('./answer.ts'),
  'test/support/answer.ts': importingType('./question.ts'),
};

/** All that the rules have to say about the tree, and no more; a circle is said once. @type {readonly Violation[]} */
export const VIOLATIONS = [
  violation('domain-is-pure', 'src/market/domain/readsFiles.ts', 'fs'),
  violation('domain-is-pure', 'src/market/domain/usesPackage.ts', 'node_modules/ours/index.js'),
  violation('domain-is-pure', 'src/api/domain/stream/knowsShell.ts', 'src/api/server.ts'),
  ...FLOORS.map((floor, index) => {
    const from = `${domain}/${floor}/high.ts`;
    return violation(`floor-of-${floor}`, from, new URL(aboveOf(index), `file:///${from}`).pathname.slice(1));
  }),
  violation('shell-of-api-is-private', 'src/actors/engine/pod/pod.ts', 'src/api/server.ts'),
  violation('shell-of-actors-is-private', 'src/api/server.ts', 'src/actors/engine/shard/shard.ts'),
  violation('shell-of-market-is-private', 'src/api/readsLeader.ts', 'src/market/leader.ts'),
  violation('shell-of-jobs-is-private', 'src/api/startsJob.ts', 'src/jobs/job.ts'),
  violation('shell-of-dashboard-is-private', 'src/api/readsPage.ts', 'src/dashboard/main.ts'),
  violation('shell-of-api-is-private', 'src/features/lab/store.ts', 'src/api/server.ts'),
  violation('api-is-for-features', 'src/jobs/answers.ts', 'src/api/http/answers.ts'),
  violation('api-knows-no-feature', 'src/api/http/knowsFeature.ts', 'src/features/lab/store.ts'),
  violation('features-know-no-feature', 'src/features/lab/rules.ts', 'src/features/twap/rules.ts'),
  violation('core-knows-no-feature', 'src/shared/knowsFeature.ts', 'src/features/twap/rules.ts'),
  violation('operators-know-the-rules', 'src/operators/knowsFeature.ts', 'src/features/lab/rules.ts'),
  violation('dashboard-is-a-client', 'src/dashboard/knowsMoney.ts', 'src/shared/domain/decimal.ts'),
  violation('shared-knows-no-module', 'src/shared/knowsModule.ts', 'src/market/domain/pure.ts'),
  violation('operators-know-no-process', 'src/operators/knowsMain.ts', 'src/importsMain.ts'),
  violation('operators-are-asked-by-two', 'src/jobs/showsUser.ts', 'src/operators/user.ts'),
  violation('contract-is-below-endpoints', 'src/api/contract/endpoint.ts', 'src/api/info/meta.ts'),
  violation('documents-are-above-endpoints', 'src/api/info/readsDocument.ts', 'src/api/documents/openApi.ts'),
  violation('registry-is-for-roles', 'src/api/info/readsRegistry.ts', 'src/api/registry.ts'),
  violation('nobody-imports-main', 'src/importsMain.ts', 'src/main.ts'),
  violation('src-knows-no-test', 'src/importsTest.ts', 'test/support/words.ts'),
  violation('src-needs-no-dev-dependency', 'src/shared/usesTool.ts', 'node_modules/tool/index.js'),
  violation('src-needs-no-dev-dependency', 'src/shared/guesses.ts', './isNotThere.ts'),
  violation('nothing-unresolved', 'src/shared/guesses.ts', './isNotThere.ts'),
  violation('no-circle', 'src/shared/chicken.ts', 'src/shared/egg.ts'),
  violation('no-circle', 'test/support/answer.ts', 'test/support/question.ts'),
];

/** A specifier that the floor may not import. @param {number} index */
function aboveOf(index) {
  const above = FLOORS[index + 1];
  return above === undefined ? '../decide.ts' : `../${above}/low.ts`;
}

/** @returns {Violation} @param {string} rule @param {string} from @param {string} to */
function violation(rule, from, to) {
  return { rule, from, to };
}
