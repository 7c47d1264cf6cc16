// Holds every script call of every test against the rule of Redis Cluster: all keys of a call share a slot, so they carry one
// hash tag. A call that takes several shards at once on a server (scriptLane.ts) has whole shards beside each other: on a cluster
// each of them is a call of its own. Keys without a tag belong to made-up scripts: all of the service's own keys have a tag. Where
// SCRIPTS_FILE names a file, each run of mocha adds the names of the scripts that it has run: bin/test compares them with the
// scripts of src (tools/test/scriptsRun.mjs).
import { appendFileSync } from 'node:fs';
import type { RootHookObject } from 'mocha';
import { Script } from '../../src/shared/redis/script.ts';

const SHARD = /^\{s\d\d\}$/;
const violations = new Set<string>();
const seen = new Set<string>();

function watch(scripts: typeof Script): void {
  const { run } = scripts.prototype;
  scripts.prototype.run = function (this: Script, ...call: Parameters<Script['run']>) {
    const [redis, keys] = call;
    seen.add(this.name);
    const tags = new Set(keys.flatMap((key) => /\{[^}]+\}/.exec(key)?.[0] ?? []));
    const isOneCall = tags.size <= 1 || (!redis.isCluster && [...tags].every((tag) => SHARD.test(tag)));
    if (!isOneCall) violations.add(`a script call has keys of several slots: ${keys.join(' ')}`);
    return run.apply(this, call);
  };
}

watch(Script);

export const mochaHooks: RootHookObject = {
  async beforeAll() {
    // Code that a test imports late (the acts of operators) has its own copy of each file under mocha.
    const late = await import('../../src/shared/redis/script.ts');
    if (late.Script !== Script) watch(late.Script);
  },
  afterAll() {
    const file = process.env['SCRIPTS_FILE'];
    if (file !== undefined) appendFileSync(file, [...seen, ''].join('\n'));
    if (violations.size > 0) throw new Error([...violations].join('\n'));
  },
};
