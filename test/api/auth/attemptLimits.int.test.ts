import { expect } from 'chai';
import { subjectWindowsKey } from '../../../src/shared/redis/keys.ts';
import { type Answer, ApiNode } from '../../support/apiNode.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const PASSWORD = 'a good password';

describe('auth: how often somebody may try', () => {
  let stores: { redis: Store; mongo: Store };

  before(async () => {
    stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
  });
  after(() => Promise.all([stores.redis.stop(), stores.mongo.stop()]));

  /** A node whose clients come through a proxy that names them; two of them are one deployment. */
  async function withNode(env: Record<string, string>, test: (node: ApiNode, from: From) => Promise<void>): Promise<void> {
    const node = await ApiNode.start(stores, { env: { PROXY_HOPS: '1', ...env } });
    try {
      await test(node, (address, path, body) => node.post(`/v1/auth/${path}`, body, { 'x-forwarded-for': address }));
    } finally {
      await node.stop();
    }
  }
  type From = (address: string, path: string, body: object) => Promise<Answer>;

  const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status);
  const expectRefused = ({ status, body, headers }: Answer): void => {
    expect(status).to.equal(429);
    expect(body.code).to.equal('rate_limited');
    expect(Number(headers.get('retry-after'))).to.be.within(1, 61);
    expect(headers.get('x-ratelimit-remaining')).to.equal('0');
  };

  it('register: AUTH_REGISTER_PER_MINUTE for an address, 20 unless it is set; another address is free', async () => {
    await withNode({ AUTH_REGISTER_PER_MINUTE: '' }, async (_node, from) => {
      const register = (address: string, n: number): Promise<Answer> =>
        from(address, 'register', { email: `reg-${n}@example.com`, password: PASSWORD });
      const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => register('192.0.2.1', n)));
      expect(statuses(answers).sort()).to.deep.equal([...Array(20).fill(200), ...Array(5).fill(429)]);
      expectRefused(answers.find(({ status }) => status === 429) as Answer);
      expect((await register('192.0.2.2', 99)).status).to.equal(200);
    });
  });

  it('login: AUTH_LOGIN_PER_MINUTE for an account at one address, 10 unless it is set', async () => {
    await withNode({ AUTH_LOGIN_PER_MINUTE: '' }, async (node, from) => {
      const { email } = await node.register();
      const other = await node.register();
      for (let n = 0; n < 10; n++) {
        const answer = await from('192.0.2.9', 'login', {
          email: n % 2 ? email : email.toUpperCase(),
          password: 'a bad password',
        });
        expect(answer.status).to.equal(401);
      }
      expectRefused(await from('192.0.2.9', 'login', { email, password: PASSWORD }));
      expect((await from('192.0.2.9', 'login', { email: other.email, password: PASSWORD })).status).to.equal(200);
      expect((await from('192.0.2.10', 'login', { email, password: PASSWORD })).status).to.equal(200);
    });
  });

  it('login: an address that nobody has registered is counted and refused like one that is', async () => {
    await withNode({ AUTH_LOGIN_PER_MINUTE: '3' }, async (node, from) => {
      const { email } = await node.register();
      const tries = async (address: string): Promise<unknown[]> => {
        const answers = [];
        for (let n = 0; n < 4; n++)
          answers.push(await from('192.0.2.50', 'login', { email: address, password: 'a bad password' }));
        return answers.map(({ status, body: { code } }) => [status, code]);
      };
      expect(await tries('unknown-3@example.com')).to.deep.equal(await tries(email));
    });
  });

  it('login: AUTH_ADDRESS_LOGINS_PER_MINUTE for a network address, whatever the accounts', async () => {
    await withNode({ AUTH_ADDRESS_LOGINS_PER_MINUTE: '5' }, async (_node, from) => {
      const answers = [];
      for (let n = 0; n < 6; n++) {
        answers.push(await from('192.0.2.60', 'login', { email: `many-${n}@example.com`, password: PASSWORD }));
      }
      expect(statuses(answers)).to.deep.equal([401, 401, 401, 401, 401, 429]);
      expect((await from('192.0.2.61', 'login', { email: 'many-9@example.com', password: PASSWORD })).status).to.equal(401);
    });
  });

  it('change-password: a stolen token is no way to guess the password', async () => {
    await withNode({ AUTH_LOGIN_PER_MINUTE: '3' }, async (node) => {
      const { token } = await node.register();
      const guess = (): Promise<Answer> =>
        node.post(
          '/v1/auth/change-password',
          { current_password: 'a bad password', new_password: PASSWORD },
          { authorization: `Bearer ${token}` },
        );
      expect(statuses([await guess(), await guess(), await guess(), await guess()])).to.deep.equal([401, 401, 401, 429]);
    });
  });

  it('forgot-password: for an account and for an address, known or not', async () => {
    await withNode({ AUTH_LOGIN_PER_MINUTE: '2', AUTH_REGISTER_PER_MINUTE: '4' }, async (_node, from) => {
      const email = 'forgetful@example.com';
      await from('198.51.100.50', 'register', { email, password: PASSWORD });
      for (const [n, asked] of [email, 'unknown-4@example.com'].entries()) {
        for (const status of [200, 200, 429]) {
          expect((await from(`198.51.100.7${n}`, 'forgot-password', { email: asked })).status, asked).to.equal(status);
        }
        expect((await from(`198.51.100.8${n}`, 'forgot-password', { email: asked })).status, asked).to.equal(200);
      }
      for (const [n, status] of [200, 200, 200, 200, 429].entries()) {
        expect((await from('198.51.100.99', 'forgot-password', { email: `u${n}@example.com` })).status).to.equal(status);
      }
    });
  });

  it('two nodes count together', async () => {
    await withNode({ AUTH_LOGIN_PER_MINUTE: '4' }, (_one, first) =>
      withNode({ AUTH_LOGIN_PER_MINUTE: '4' }, async (_two, second) => {
        const body = { email: 'two-nodes@example.com', password: PASSWORD };
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, n) => (n % 2 ? first : second)('192.0.2.70', 'login', body)),
        );
        expect(statuses(answers).sort()).to.deep.equal([...Array(4).fill(401), ...Array(6).fill(429)]);
      }),
    );
  });

  it('Redis is told no e-mail address', async () => {
    await withNode({}, async (node, from) => {
      await from('192.0.2.80', 'login', { email: 'private@example.com', password: PASSWORD });
      expect((await node.redis.keys('*private*')).length).to.equal(0);
      expect((await node.redis.keys(subjectWindowsKey('password-account:*'))).length).to.be.greaterThan(0);
    });
  });

  it('a flood of logins waits in a bounded queue and is refused beyond it, while trading goes on', async () => {
    await withNode({ ARGON2_MEMORY_KIB: '19456', ARGON2_PASSES: '1' }, async (node, from) => {
      const { apiKey } = await node.createKey(await node.register());
      const answers: Answer[] = [];
      let isOver = false;
      /** A caller without a refusal asks again, so that there are always more callers than the queue takes. */
      const keepAsking = async (_: unknown, n: number): Promise<void> => {
        const body = { email: `f-${n}@example.com`, password: PASSWORD };
        for (let status = 0; !isOver && status !== 503; ) {
          const answer = await from('192.0.2.90', 'login', body);
          ({ status } = answer);
          answers.push(answer);
        }
      };
      const flood = Promise.all(Array.from({ length: 100 }, keepAsking));
      let tradedMeanwhile = 0;
      await until(async () => {
        const { status } = await node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey });
        expect(status).to.equal(200);
        expect(node.passwords.load).to.be.at.most(65);
        if (node.passwords.load > 0) tradedMeanwhile += 1;
        return tradedMeanwhile >= 5 && statuses(answers).includes(503);
      });
      isOver = true;
      await flood;
      expect(answers.every(({ status }) => status === 401 || status === 503)).to.equal(true);
      for (const { body, headers } of answers.filter(({ status }) => status === 503)) {
        expect(body.code).to.equal('busy');
        expect(headers.get('retry-after')).to.not.equal(null);
      }
      await until(() => node.passwords.load === 0);
    });
  });
});
