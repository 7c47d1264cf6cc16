// Each request that writes to MongoDB, while the primary of a replica set moves at each of the commands that the request takes.
import { expect } from 'chai';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { MailSink } from '../../support/mailSink.ts';
import { FAULTS, type Fault, MongoReplicaSet } from '../../support/mongo/replicaSet.ts';
import type { Command } from '../../support/mongo/wire.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const NEW_PASSWORD = 'another good password';
/** Names of numbers that say when, not how often. */
const TIME = /Ms$|^lastStep$/;

/** Commands that the driver sends again whether they are numbered or not. */
const QUESTIONS = new Set(['find', 'aggregate', 'count', 'distinct']);

type Send = () => Promise<Answer>;

interface Ran {
  readonly send: Send;
  readonly answer: Answer;
  readonly commands: number;
  /** As `totals` says. */
  readonly before: Record<string, number>;
  readonly made: Record<string, number>;
}

interface Case {
  readonly name: string;
  /** Makes what the request needs. @returns what sends it */
  readonly ready: () => Promise<Send>;
  /** Of what two requests make no more than one. */
  readonly once?: keyof typeof collections;
}

describe('requests while the primary of MongoDB moves', function () {
  this.timeout(600_000);
  const stores = useStores();
  let set: MongoReplicaSet;
  let mails: MailSink;
  let node: ApiNode;

  before(async () => {
    set = await MongoReplicaSet.start(stores.mongo.port);
    mails = await MailSink.start();
    const env = { SMTP_URL: mails.url, PASSWORD_RESET_URL: 'https://app.example.com/new', REQUIRE_VERIFIED_EMAIL: 'no' };
    const behindSet = { ...stores.mongo, url: set.url };
    node = await ApiNode.start(
      { ...stores, mongo: behindSet },
      { env: { ...env, ANONYMOUS_REQUESTS_PER_MINUTE: '1000000', MONGO_TIMEOUT_MS: '300' } },
    );
    await node.register(); // the first one finds the deployment's secret made
  });
  afterEach(() => {
    set.fault = () => undefined;
  });
  after(async () => {
    await node.stop();
    await Promise.all([mails.stop(), set.stop()]);
  });

  const bearer = ({ token }: Pick<TestUser, 'token'>): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const post = (user: TestUser, path: string, body: unknown = {}): Promise<Answer> => {
    const headers = { ...bearer(user), 'idempotency-key': `${path}:${user.id}` };
    return node.post(`/v1/${path}`, body, headers);
  };
  const remove = (user: TestUser, path: string, body: unknown = {}): Promise<Answer> =>
    node.request('DELETE', `/v1/${path}`, {
      headers: { ...bearer(user), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const ofUser =
    (begin: (user: TestUser) => Promise<Send> | Send): (() => Promise<Send>) =>
    async () =>
      begin(await node.register());
  const withKey = (begin: (user: TestUser, keyId: string) => Send): (() => Promise<Send>) =>
    ofUser(async (user) => begin(user, (await node.createKey(user)).id));
  const mailed = async (email: string): Promise<string> => {
    const links = (): string[] => mails.to(email, 'Set a new password');
    await until(() => links().length > 0);
    return /#token=([\w-]+)/.exec(links()[0] ?? '')?.[1] ?? '';
  };

  const cases: readonly Case[] = [
    {
      name: 'register',
      once: 'users',
      ready: async () => {
        const name = Math.random().toString(36).slice(2);
        const body = { email: `${name}@example.com`, password: PASSWORD };
        return () => node.post('/v1/auth/register', body, { 'idempotency-key': name });
      },
    },
    {
      name: 'login',
      ready: ofUser(
        ({ email }) =>
          () =>
            node.post('/v1/auth/login', { email, password: PASSWORD }),
      ),
    },
    { name: 'refresh', ready: ofUser((user) => () => post(user, 'auth/refresh')) },
    { name: 'logout', ready: ofUser((user) => () => post(user, 'auth/logout')) },
    { name: 'end the other sessions', ready: ofUser((user) => () => remove(user, 'auth/sessions')) },
    { name: 'make a key', once: 'apiKeys', ready: ofUser((user) => () => post(user, 'auth/api-keys', { name: 'bot' })) },
    { name: 'change a key', ready: withKey((user, id) => () => post(user, `auth/api-keys/${id}/change`, { name: 'new' })) },
    { name: 'rotate a key', ready: withKey((user, id) => () => post(user, `auth/api-keys/${id}/rotate`)) },
    { name: 'revoke a key', ready: withKey((user, id) => () => remove(user, `auth/api-keys/${id}`)) },
    {
      name: 'change the password',
      ready: ofUser((user) => () => {
        return post(user, 'auth/change-password', { current_password: PASSWORD, new_password: NEW_PASSWORD });
      }),
    },
    {
      name: 'reset the password',
      ready: ofUser(async ({ email }) => {
        await node.post('/v1/auth/forgot-password', { email });
        const body = { token: await mailed(email), new_password: NEW_PASSWORD };
        return () => node.post('/v1/auth/reset-password', body);
      }),
    },
    { name: 'begin a second factor', ready: ofUser((user) => () => post(user, 'auth/totp', { password: PASSWORD })) },
    { name: 'subscribe', once: 'invoices', ready: ofUser((user) => () => post(user, 'billing/subscribe', BOUGHT)) },
    {
      name: 'pay',
      ready: ofUser(async (user) => {
        const { body: invoice } = await post(user, 'billing/subscribe', BOUGHT);
        return () => node.request('POST', new URL(invoice.pay_url).pathname);
      }),
    },
    {
      name: 'cancel a subscription',
      ready: ofUser(async (user) => {
        const { body: invoice } = await post(user, 'billing/subscribe', BOUGHT);
        await node.request('POST', new URL(invoice.pay_url).pathname);
        return () => post(user, 'billing/cancel');
      }),
    },
    { name: 'delete the account', ready: ofUser((user) => () => remove(user, 'auth/account', { password: PASSWORD })) },
  ];

  /** Runs one request. @param faultOf called with the number of the command, from 1 on */
  const run = async (
    { ready }: Case,
    faultOf: (number: number, command: Command) => Fault | undefined = () => undefined,
  ): Promise<Ran> => {
    await empty();
    const send = await ready();
    await until(() => node.background.load === 0);
    const before = await totals();
    let commands = 0;
    set.fault = (command) => {
      commands += 1;
      return faultOf(commands, command);
    };
    const answer = await send();
    // Work behind a refusal tries for seconds.
    if (answer.status === 503) set.fault = () => undefined;
    await until(() => node.background.load === 0);
    set.fault = () => undefined;
    return { send, answer, commands, before, made: difference(before, await totals()) };
  };

  for (const [index, one] of cases.entries()) {
    it(`${one.name}: the driver goes on at the next primary, and nothing is done twice`, async () => {
      const { answer, commands, made } = await run(one);
      expect(answer.status, answer.text).to.be.oneOf([200, 204, 303]);
      for (let failing = 1; failing <= commands; failing++) {
        const fault = FAULTS[(failing + index) % FAULTS.length] as Fault;
        let failed: Command | undefined;
        const moved = await run(one, (number, command) => {
          if (number !== failing) return undefined;
          failed = command;
          return fault;
        });
        const where = `${fault} at command ${failing} of ${commands}, ${failed?.name}`;
        // A change of many documents, or the making of an index, has no number: the request is refused, and may be sent again.
        if (failed && !isSentAgain(failed) && moved.answer.status === 503) continue;
        expect(moved.answer.status, `${where}: ${moved.answer.text}`).to.equal(answer.status);
        expect(moved.made, where).to.deep.equal(made);
      }
    });

    it(`${one.name}: refused with 503 while there is no primary, and done when it comes again`, async () => {
      const { answer, commands, made } = await run(one);
      for (let failing = 1 + (index % 3); failing <= commands; failing += 3) {
        const fault = FAULTS[(failing + index) % FAULTS.length] as Fault;
        const away = await run(one, (number) => (number >= failing ? fault : undefined));
        const where = `${fault} from command ${failing} of ${commands} on`;
        expect(away.answer.status, `${where}: ${away.answer.text}`).to.be.oneOf([answer.status, 503]);
        const again = await away.send();
        expect(again.status, `${where}, again: ${again.text}`).to.be.below(500);
        if (one.once === undefined) continue;
        expect(again.status, `${where}, again: ${again.text}`).to.equal(answer.status);
        const { [one.once]: count } = difference(away.before, await totals());
        expect(count, where).to.equal(made[one.once]);
      }
    });
  }

  /** Documents of earlier requests would be counted each time. */
  const empty = async (): Promise<void> => {
    const names = Object.values(collections).filter((name) => name !== collections.settings);
    await Promise.all(names.map((name) => node.mongo.db.collection(name).deleteMany({})));
  };

  /** Documents by collection, and what the numbers in them come to. */
  const totals = async (): Promise<Record<string, number>> => {
    const sums: Record<string, number> = {};
    for (const name of Object.values(collections)) {
      const documents = await node.mongo.db.collection(name).find().toArray();
      sums[name] = documents.length;
      for (const document of documents) addNumbers(sums, name, document);
    }
    return sums;
  };
});

const isSentAgain = ({ name, body }: Command): boolean => QUESTIONS.has(name) || body['txnNumber'] !== undefined;

const BOUGHT = { plan: 'basic', period: 'month' };

function addNumbers(sums: Record<string, number>, path: string, value: unknown): void {
  if (typeof value === 'number') sums[path] = (sums[path] ?? 0) + value;
  if (typeof value !== 'object' || value === null || value instanceof Date) return;
  if (Array.isArray(value)) sums[`${path}.length`] = (sums[`${path}.length`] ?? 0) + value.length;
  for (const [field, inner] of Object.entries(value)) {
    if (!TIME.test(field)) addNumbers(sums, Array.isArray(value) ? path : `${path}.${field}`, inner);
  }
}

function difference(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes = [...names].map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}
