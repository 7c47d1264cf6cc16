// `bin/start --install`: all that starts fetch or build, without one. An image of a build machine is made by it, so that each start there
// takes seconds and needs no network.
import { BUILD, PACKAGES, prepareCheckout } from './checkout.mjs';
import { findEngine } from './mongo.mjs';
import { findRedis } from './redis.mjs';
import { beginProgress, endProgress, say, sayStep } from './say.mjs';

const STORES = 'Redis and MongoDB';

/**
 * @param {import('./dataFolder.mjs').DataFolder} data a folder for this alone; programs go to that of all starts
 * @param {{ signal: AbortSignal }} interruption
 */
export async function installAll(data, { signal }) {
  beginProgress([PACKAGES, BUILD, STORES]);
  await prepareCheckout(data, signal);
  sayStep(STORES);
  const redis = await findRedis(data, signal);
  const { kind, program } = await findEngine(data, signal);
  endProgress();
  say(`Installed: Redis is ${redis}, MongoDB is ${kind === 'mongod' ? program : `the stand-in, by ${program}`}.`);
}
