import { expect } from 'chai';
import fc from 'fast-check';
import { Passwords } from '../../../src/api/auth/parts/passwords.ts';
import { Trials } from '../../../src/api/auth/parts/trials.ts';
import { type MakeUserParts, makeUser } from '../../../src/api/auth/registration.ts';
import { DeploymentSecrets, KeptSecret } from '../../../src/shared/access/secrets.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import type { RequestError } from '../../../src/shared/errors.ts';
import { connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { TrialStore } from '../../../src/shared/mongo/trialStore.ts';
import { UserStore } from '../../../src/shared/mongo/userStore.ts';
import { gatedCalls } from '../../support/gatedCalls.ts';
import { type Store, startMongo } from '../../support/stores.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');

describe('makeUser: registrations of one mailbox at once, in every order of their steps', () => {
  let store: Store;
  let mongo: MongoConnection;

  before(async () => {
    store = await startMongo({ memory: true });
    mongo = connectMongo({ url: store.url, database: 'registrations', timeoutMs: 60_000 });
  });
  after(async () => {
    await mongo.close();
    await store.stop();
  });

  function partsOf(scheduler: fc.Scheduler): MakeUserParts {
    const config = readConfig({ ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' });
    const inTurn = (call: string): Promise<unknown> => scheduler.schedule(Promise.resolve(), call);
    const users = gatedCalls(new UserStore(mongo), 'users', inTurn);
    const secrets = new DeploymentSecrets(config, new KeptSecret(mongo));
    const trials = new Trials({ secrets, store: gatedCalls(new TrialStore(mongo), 'trials', inTurn), users });
    return { users, trials, passwords: new Passwords(config), config, now: () => NOW };
  }

  let lives = 0;
  for (const { name, emails, winners } of [
    { name: 'one address: one of them is registered, with its trial', emails: ['a', 'a', 'a'], winners: 1 },
    { name: 'ways to write one mailbox: each is registered, one has a trial', emails: ['a', 'a+1', 'a+2'], winners: 3 },
  ]) {
    it(name, async () => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), async (scheduler) => {
          lives += 1;
          const given = emails.map((text, n) => ({
            ...{ id: `user_${lives}_${n}`, password: 'a good password', network: `192.0.2.${n}` },
            email: text.replace('a', `mailbox${lives}`).concat('@gmail.com'),
          }));
          const parts = partsOf(scheduler);
          const all = Promise.allSettled(given.map((one) => makeUser(parts, one)));
          await scheduler.waitFor(all);
          const made = (await all).flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
          const refused = (await all).flatMap((outcome) =>
            outcome.status === 'rejected' ? [outcome.reason as RequestError] : [],
          );
          expect(made).to.have.length(winners);
          expect(made.filter(({ trialExpiresAt }) => trialExpiresAt.getTime() > NOW)).to.have.length(1);
          expect(new Set(refused.map(({ code }) => code))).to.deep.equal(new Set(winners === 1 ? ['email_taken'] : []));
        }),
        { numRuns: 15, endOnFailure: true },
      );
    });
  }
});
