import { expect } from 'chai';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { MailSink } from '../../support/mailSink.ts';
import { startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const HOME = '198.51.100.1';
const ELSEWHERE = '198.51.100.2';
const BAD = 'a bad password';

describe('auth: wrong passwords of others lock out no owner of an account', () => {
  const stores = useStores();
  let mails: MailSink;
  let node: ApiNode;

  before(async () => {
    mails = await MailSink.start();
    const limits = { AUTH_LOGIN_PER_MINUTE: '5', AUTH_ACCOUNT_LOGINS_PER_HOUR: '20' };
    node = await ApiNode.start(stores, { env: { PROXY_HOPS: '1', SMTP_URL: mails.url, ...limits } });
  });
  after(async () => {
    await node.stop();
    await mails.stop();
  });

  interface Owner extends TestUser {
    readonly device: string;
  }
  const from = (address: string, path: string, body: object, token?: string): Promise<Answer> =>
    node.post(`/v1/auth/${path}`, body, {
      'x-forwarded-for': address,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    });
  const login = (address: string, { email }: Pick<Owner, 'email'>, password = PASSWORD, device?: string): Promise<Answer> =>
    from(address, 'login', { email, password, ...(device !== undefined && { device_token: device }) });

  let owners = 0;
  async function registered(): Promise<Owner> {
    const email = `owner-${owners++}@example.com`;
    const { body } = await from(HOME, 'register', { email, password: PASSWORD });
    const { device_token: device } = (await from(HOME, 'refresh', {}, body.access_token)).body;
    return { email, token: body.access_token, id: body.user_id, device };
  }
  /** Guesses from many networks until the account takes none from a network that it does not know. */
  async function attacked(): Promise<Owner> {
    const owner = await registered();
    const statuses = [];
    for (let n = 0; n < 30; n++) statuses.push((await login(`203.0.113.${n}`, owner, BAD)).status);
    expect(statuses).to.deep.equal([...Array(20).fill(401), ...Array(10).fill(429)]);
    return owner;
  }

  it('the owner logs in from the network of before, and from anywhere with the token of a device', async () => {
    const owner = await attacked();
    expect((await login(HOME, owner)).status).to.equal(200);
    expect((await login(ELSEWHERE, owner, PASSWORD, owner.device)).status).to.equal(200);
    // That login made the network known.
    expect((await login(ELSEWHERE, owner)).status).to.equal(200);
    const { status, body, headers } = await login('198.51.100.3', owner);
    expect(status).to.equal(429);
    expect(body.code).to.equal('rate_limited');
    expect(Number(headers.get('retry-after'))).to.be.within(60, 3615);
  });

  it('while strangers go on guessing at the same time', async () => {
    const owner = await registered();
    let isOver = false;
    const guesses: Promise<number[]>[] = Array.from({ length: 4 }, async (_, line) => {
      const statuses = [];
      for (let n = 0; !isOver; n++) statuses.push((await login(`192.0.2.${60 * line + (n % 60)}`, owner, BAD)).status);
      return statuses;
    });
    for (let n = 0; n < 4; n++) expect((await login(HOME, owner)).status).to.equal(200);
    for (let n = 0; n < 4; n++) expect((await login(ELSEWHERE, owner, PASSWORD, owner.device)).status).to.equal(200);
    isOver = true;
    const statuses = (await Promise.all(guesses)).flat();
    expect(statuses.filter((status) => status === 401).length).to.be.at.most(20);
    expect(new Set(statuses)).to.not.include(200);
  });

  it('the link of a password mail is the way in from a new network', async () => {
    const owner = await attacked();
    expect((await login(ELSEWHERE, owner)).status).to.equal(429);
    await from(ELSEWHERE, 'forgot-password', { email: owner.email });
    await until(() => mails.to(owner.email, 'Set a new password').length === 1);
    const [, token] = /token=([\w-]+)/.exec(mails.to(owner.email, 'Set a new password')[0] ?? '') ?? [];
    expect((await from(ELSEWHERE, 'reset-password', { token, new_password: 'a new password' })).status).to.equal(200);
    expect((await login(ELSEWHERE, owner, 'a new password')).status).to.equal(200);
  });

  it('the holder of an access token changes the password and deletes the account, whatever others guess', async () => {
    const owner = await attacked();
    const body = { current_password: PASSWORD, new_password: 'a new password' };
    const changed = await from('198.51.100.9', 'change-password', body, owner.token);
    expect(changed.status).to.equal(200);
    const deleted = await node.request('DELETE', '/v1/auth/account', {
      body: JSON.stringify({ password: 'a new password' }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}`, 'x-forwarded-for': '198.51.100.9' },
    });
    expect(deleted.status).to.equal(200);
  });

  it('a stolen token guesses five times a minute, however often it is refreshed, and takes nothing from other sessions', async () => {
    const owner = await registered();
    const own = (await login(HOME, owner)).body.access_token;
    let stolen = owner.token;
    const guess = (token: string, password: string): Promise<Answer> =>
      from(ELSEWHERE, 'change-password', { current_password: password, new_password: 'a new password' }, token);
    const statuses = [];
    for (let n = 0; n < 7; n++) {
      statuses.push((await guess(stolen, BAD)).status);
      stolen = (await from(ELSEWHERE, 'refresh', {}, stolen)).body.access_token;
    }
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429]);
    expect((await guess(own, PASSWORD)).status).to.equal(200);
  });

  it('device tokens of a refreshed session are one device', async () => {
    const owner = await registered();
    const statuses = [];
    for (let n = 0; n < 7; n++) {
      const device = (await from(ELSEWHERE, 'refresh', {}, owner.token)).body.device_token;
      statuses.push((await login(`203.0.113.${200 + n}`, owner, BAD, device)).status);
    }
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429]);
  });

  it('one network gets a tenth of what the account takes from unknown ones in an hour; a /64 is one network', async () => {
    const owner = await registered();
    const guess = (n: number): Promise<Answer> => login(`2001:db8:1:2::${n.toString(16)}`, owner, BAD);
    expect([(await guess(1)).status, (await guess(2)).status, (await guess(3)).status]).to.deep.equal([401, 401, 429]);
    expect((await login('2001:db8:1:3::1', owner, BAD)).status).to.equal(401);
    expect((await login(HOME, owner)).status).to.equal(200);
  });

  describe('a device token', () => {
    it('of another user, forged, changed or cut is none', async () => {
      const [owner, other] = [await attacked(), await registered()];
      const [, id, issued, signature] = owner.device.split('.') as [string, string, string, string];
      const wrong = [
        other.device,
        `dev.${id}.${issued}.${'A'.repeat(43)}`,
        `dev.${id}.zzzzzz.${signature}`,
        `dev.${'A'.repeat(16)}.${issued}.${signature}`,
        owner.device.slice(0, -1),
        'dev',
        'x'.repeat(200),
        '',
      ];
      for (const device of wrong) expect((await login('198.51.100.4', owner, PASSWORD, device)).status, device).to.equal(429);
      expect((await login('198.51.100.4', owner, PASSWORD, owner.device)).status).to.equal(200);
    });

    it('is no password, and shows no one whether an account exists', async () => {
      const owner = await registered();
      const [known, unknown] = [
        await login(HOME, owner, BAD, owner.device),
        await login(HOME, { email: 'unknown@example.com' }, BAD, owner.device),
      ];
      expect([known.status, known.text]).to.deep.equal([401, unknown.text]);
    });

    it('ends with the password; the answer to the change has a new one', async () => {
      const owner = await attacked();
      const body = { current_password: PASSWORD, new_password: 'a new password' };
      const { device_token: next } = (await from(HOME, 'change-password', body, owner.token)).body;
      expect((await login('198.51.100.5', owner, 'a new password', owner.device)).status).to.equal(429);
      expect((await login('198.51.100.5', owner, 'a new password', next)).status).to.equal(200);
    });

    it('that is no text is refused', async () => {
      const owner = await registered();
      for (const device_token of [1, {}, null, ['x'], 'x'.repeat(201)]) {
        const answer = await from(HOME, 'login', { email: owner.email, password: PASSWORD, device_token });
        expect(answer.status, JSON.stringify(device_token)).to.equal(400);
      }
    });
  });

  describe('mails', () => {
    it('a login from a new network is told; one from a known network or device is not', async () => {
      const owner = await registered();
      await login(HOME, owner);
      await login('198.51.100.20', owner, PASSWORD, owner.device);
      await login('198.51.100.21', owner);
      const told = (): string[] => mails.to(owner.email, 'A login from a new device');
      await until(() => told().length === 1);
      await until(() => node.mails.load === 0);
      expect(told()).to.have.length(1);
      expect(told()[0]).to.include('198.51.100.21');
    });

    it('however many ask, five links are in force; one that was mailed works, and then others are mailed again', async () => {
      const owner = await registered();
      const asks = await Promise.all(
        Array.from({ length: 40 }, (_, n) => from(`203.0.113.${100 + n}`, 'forgot-password', { email: owner.email })),
      );
      expect(new Set(asks.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
      await until(() => node.background.load === 0 && node.mails.load === 0);
      const links = (): string[] => mails.to(owner.email, 'Set a new password');
      expect(links()).to.have.length(5);
      const [, token] = /token=([\w-]+)/.exec(links()[2] ?? '') ?? [];
      expect((await from(HOME, 'reset-password', { token, new_password: 'a new password' })).status).to.equal(200);
      await from(HOME, 'forgot-password', { email: owner.email });
      await until(() => links().length === 6);
    });
  });

  it('a new password makes unknown where the one before it was used, but for where it is set', async () => {
    const owner = await registered();
    await login(ELSEWHERE, owner);
    const change = { current_password: PASSWORD, new_password: 'a new password' };
    expect((await from(ELSEWHERE, 'change-password', change, owner.token)).status).to.equal(200);
    const told = (): string[] => mails.to(owner.email, 'A login from a new device');
    await until(() => told().length === 1);
    expect((await login(ELSEWHERE, owner, 'a new password')).status).to.equal(200);
    expect((await login(HOME, owner, 'a new password')).status).to.equal(200);
    await until(() => told().length === 2);
    expect(told()[1]).to.include(`Network address: ${HOME}`);
  });

  it('keeps no network address in the user’s document', async () => {
    const owner = await registered();
    await login(ELSEWHERE, owner);
    const [user] = await node.mongo.db.collection('users').find({ email: owner.email }).toArray();
    expect(user?.['knownNetworks']).to.have.length(2);
    expect(JSON.stringify(user)).to.not.include('198.51.100');
  });
});

describe('auth: guesses while Redis is away', () => {
  it('are counted by the node alone', async () => {
    const [redis, mongo] = [await startRedis(), await startMongo({ memory: true })];
    const node = await ApiNode.start({ redis, mongo }, { env: { AUTH_LOGIN_PER_MINUTE: '3' } });
    const { email } = await node.register();
    await redis.stop();
    await until(() => node.redis.status !== 'ready');
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await node.post('/v1/auth/login', { email, password: BAD })).status);
    expect(statuses).to.deep.equal([401, 401, 401, 429, 429]);
    await node.stop();
    await mongo.stop();
  });
});
