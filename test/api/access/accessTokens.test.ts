import { createHmac, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import { AccessTokens } from '../../../src/api/access/accessTokens.ts';
import { DeploymentSecrets } from '../../../src/shared/access/secrets.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { requireSecrets } from '../../../src/shared/config/schema.ts';

const [ONE, TWO, KEPT] = ['1'.repeat(32), '2'.repeat(32), 'kept in the database, 32 or more'] as const;

const secretsOf = (env: Record<string, string>): DeploymentSecrets =>
  new DeploymentSecrets(readConfig(env), { value: async () => KEPT });
const tokensOf = (env: Record<string, string>, realNow = Date.now): AccessTokens =>
  new AccessTokens({ config: readConfig(env), secrets: secretsOf(env), now: realNow });
const issued = (env: Record<string, string>): Promise<string> =>
  tokensOf(env).issue({ userId: 'user_1', plan: 'basic', generation: 3, sessionId: 's', secondsMax: 1000 });
const userOf = async (token: string, env: Record<string, string>): Promise<string | undefined> =>
  (await tokensOf(env).read(token))?.userId;

describe('accessTokens: which key signs and which are accepted', () => {
  it('a token of the key before lives on while that key is listed, and new tokens are signed with the new one', async () => {
    const token = await issued({ JWT_SECRET: ONE });
    expect(await userOf(token, { JWT_SECRET: ONE })).to.equal('user_1');
    expect(await userOf(token, { JWT_SECRET: TWO, JWT_SECRETS_OLD: ONE })).to.equal('user_1');
    expect(await userOf(token, { JWT_SECRET: TWO })).to.equal(undefined);
    const next = await issued({ JWT_SECRET: TWO, JWT_SECRETS_OLD: ONE });
    expect(await userOf(next, { JWT_SECRET: TWO })).to.equal('user_1');
    expect(await userOf(next, { JWT_SECRET: ONE })).to.equal(undefined);
    // The next key is listed everywhere before the first node signs with it.
    expect(await userOf(next, { JWT_SECRET: ONE, JWT_SECRETS_OLD: TWO })).to.equal('user_1');
  });

  it('the key kept in the database is accepted where JWT_SECRETS_OLD says so, and nowhere else once JWT_SECRET is set', async () => {
    const token = await issued({});
    expect(await userOf(token, {})).to.equal('user_1');
    expect(await userOf(token, { JWT_SECRET: ONE, JWT_SECRETS_OLD: 'kept' })).to.equal('user_1');
    expect(await userOf(token, { JWT_SECRET: ONE, JWT_SECRETS_OLD: `kept,${TWO}` })).to.equal('user_1');
    expect(await userOf(token, { JWT_SECRET: ONE })).to.equal(undefined);
  });

  it('the kid differs by key and tells nothing of it', async () => {
    const kidOf = (token: string): string | undefined => jsonwebtoken.decode(token, { complete: true })?.header.kid;
    const [first, second] = [kidOf(await issued({ JWT_SECRET: ONE })), kidOf(await issued({ JWT_SECRET: TWO }))];
    expect(first)
      .to.match(/^[\w-]{11}$/)
      .and.not.equal(second);
    expect(kidOf(await issued({ JWT_SECRET: ONE }))).to.equal(first);
    expect(ONE).to.not.include(first as string);
  });

  describe('a token that is not ours is refused', () => {
    const claims = {
      plan: 'basic',
      gen: 0,
      sub: 'user_1',
      jti: 'a',
      exp: 9e9,
      sid: 'ses_1',
      iss: 'paper-perps-exchange',
      aud: 'paper-perps-exchange/v1',
    };
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = (header: object, payload: object, secret = ONE): string => {
      const text = `${part(header)}.${part(payload)}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    let kid: string;

    before(async () => {
      const [{ id }] = await secretsOf({ JWT_SECRET: ONE }).signingKeys();
      kid = id;
    });

    it('the same claims with our own head are ours', async () => {
      expect(await userOf(signed({ alg: 'HS256', typ: 'JWT', kid }, claims), { JWT_SECRET: ONE })).to.equal('user_1');
    });

    const foreign: Record<string, () => string> = {
      'alg none': () => `${part({ alg: 'none', kid })}.${part(claims)}.`,
      'alg none with a signature': () => signed({ alg: 'none', kid }, claims),
      'alg NONE in capitals, without a kid': () => `${part({ alg: 'NONE' })}.${part(claims)}.`,
      HS512: () => jsonwebtoken.sign(claims, ONE, { algorithm: 'HS512', keyid: kid }),
      RS256: () => jsonwebtoken.sign(claims, privateKey, { algorithm: 'RS256', keyid: kid }),
      'HS256 over a public key': () => signed({ alg: 'HS256', kid }, claims, pem),
      'a kid that no key has': () => signed({ alg: 'HS256', kid: 'x' }, claims),
      'an empty kid': () => signed({ alg: 'HS256', kid: '' }, claims),
      'a kid that is a list': () => signed({ alg: 'HS256', kid: [kid] }, claims),
      'a kid that is null': () => signed({ alg: 'HS256', kid: null }, claims),
      'a kid that is a path': () => signed({ alg: 'HS256', kid: '../../dev/null' }, claims, ''),
      'the kid of the other key': () => signed({ alg: 'HS256', kid }, claims, TWO),
      'another issuer': () => signed({ alg: 'HS256', kid }, { ...claims, iss: 'x' }),
      'another audience': () => signed({ alg: 'HS256', kid }, { ...claims, aud: 'x' }),
      'no session': () => signed({ alg: 'HS256', kid }, { ...claims, sid: undefined }),
      'no generation': () => signed({ alg: 'HS256', kid }, { ...claims, gen: undefined }),
      'no kid': () => signed({ alg: 'HS256' }, claims),
      'no issuer, but a kid': () => signed({ alg: 'HS256', kid }, { ...claims, iss: undefined }),
      'a head that is null': () => `${part(null)}.${part(claims)}.x`,
      'a head that is no JSON': () => `e30x.${part(claims)}.x`,
      'no dots': () => 'abc',
      'nothing at all': () => '',
    };
    for (const [name, token] of Object.entries(foreign)) {
      it(name, async () => {
        expect(await tokensOf({ JWT_SECRET: ONE, JWT_SECRETS_OLD: TWO }).read(token())).to.equal(undefined);
      });
    }
  });
});

describe('deploymentSecrets: one key for each purpose', () => {
  const hex = async (key: Promise<Buffer>): Promise<string> => (await key).toString('hex');

  it('keys of two purposes and two secrets differ; they stay when the signing keys change', async () => {
    const one = secretsOf({ DEPLOYMENT_SECRET: ONE });
    const keys = [
      one.keyFor('device tokens'),
      one.keyFor('known networks'),
      one.keyFor('e-mail digests'),
      one.keyFor('idempotency'),
    ];
    expect(new Set(await Promise.all(keys.map(hex))).size).to.equal(4);
    expect(await hex(secretsOf({ DEPLOYMENT_SECRET: TWO }).keyFor('device tokens'))).to.not.equal(
      await hex(one.keyFor('device tokens')),
    );
    const rotated = secretsOf({ DEPLOYMENT_SECRET: ONE, JWT_SECRET: TWO });
    expect(await hex(rotated.keyFor('idempotency'))).to.equal(await hex(one.keyFor('idempotency')));
    expect(await hex(secretsOf({ JWT_SECRET: TWO }).keyFor('device tokens'))).to.equal(
      await hex(secretsOf({}).keyFor('device tokens')),
    );
  });

  it('a store that is away is asked again', async () => {
    let isAway = true;
    const secrets = new DeploymentSecrets(readConfig({}), {
      value: async () => {
        if (isAway) throw new Error('away');
        return KEPT;
      },
    });
    expect(await secrets.signingKeys().catch((error: Error) => error.message)).to.equal('away');
    isAway = false;
    expect(await secrets.signingKeys()).to.have.length(1);
  });
});

describe('requireSecrets: an API that others reach', () => {
  const local = { HOST: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:3000', PROXY_HOPS: 0 };
  const none = { JWT_SECRET: '', DEPLOYMENT_SECRET: '' };
  const both = { JWT_SECRET: ONE, DEPLOYMENT_SECRET: TWO };
  const reached: readonly (readonly [name: string, reach: Partial<typeof local>])[] = [
    ...['0.0.0.0', '::', '192.0.2.1', 'api.example.com', '128.0.0.1', '127.example.com'].map(
      (HOST) => [`HOST is "${HOST}"`, { HOST }] as const,
    ),
    ['PUBLIC_URL is "paper.example.com"', { PUBLIC_URL: 'https://paper.example.com' }],
    ['PROXY_HOPS is "1"', { PROXY_HOPS: 1 }],
  ];
  for (const [name, reach] of reached) {
    it(`${name}: it needs JWT_SECRET and DEPLOYMENT_SECRET`, () => {
      const config = { ...local, ...reach };
      expect(() => requireSecrets({ ...config, ...none })).to.throw(
        `${name}, which others can reach: set JWT_SECRET and DEPLOYMENT_SECRET`,
      );
      expect(() => requireSecrets({ ...config, ...both, JWT_SECRET: '' })).to.throw(/: set JWT_SECRET to/);
      expect(() => requireSecrets({ ...config, ...both, DEPLOYMENT_SECRET: '' })).to.throw(/: set DEPLOYMENT_SECRET to/);
      expect(() => requireSecrets({ ...config, ...both })).to.not.throw();
    });
  }
  for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
    it(`${HOST} does without`, () => expect(() => requireSecrets({ ...local, HOST, ...none })).to.not.throw());
  }

  it('secrets of fewer than 32 characters stop the start', () => {
    for (const name of ['JWT_SECRET', 'DEPLOYMENT_SECRET', 'JWT_SECRETS_OLD']) {
      expect(() => readConfig({ [name]: 'x'.repeat(31) }), name).to.throw(new RegExp(`^${name}\\b.*32 characters`));
    }
    expect(() => readConfig({ JWT_SECRETS_OLD: `kept,${ONE},` })).to.throw(/JWT_SECRETS_OLD/);
    expect(readConfig({ JWT_SECRETS_OLD: `kept,${ONE}` }).JWT_SECRETS_OLD).to.equal(`kept,${ONE}`);
  });
});

describe('accessTokens: their time is that of all nodes', () => {
  for (const [name, offMs] of [
    ['10 s behind', -10_000],
    ['an hour behind', -3_600_000],
    ['10 s ahead', 10_000],
    ['an hour ahead', 3_600_000],
  ] as const) {
    it(`a machine whose clock is ${name} issues and takes tokens like any other`, async () => {
      // The shared clock, as seen from a machine that is off.
      const sharedMs = Date.now() - offMs;
      const at = (afterMs: number): AccessTokens => tokensOf({ JWT_SECRET: ONE }, () => sharedMs + afterMs);
      const token = await at(0).issue({ userId: 'user_1', plan: 'basic', generation: 3, sessionId: 's', secondsMax: 600 });
      const expiresAtMs = (await at(0).read(token))?.expiresAtMs ?? 0;
      expect(expiresAtMs).to.be.within(sharedMs + 599_000, sharedMs + 600_000);
      expect(await at(598_000).read(token)).to.include({ userId: 'user_1' });
      expect(await at(600_000).read(token)).to.equal(undefined);
    });
  }
});
