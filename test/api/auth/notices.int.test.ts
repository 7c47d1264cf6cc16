import { expect } from 'chai';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { MailSink } from '../../support/mailSink.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const CHANGED = 'Your password was changed';

describe('mail: users are told of security-relevant acts', () => {
  const stores = useStores();
  let mails: MailSink;
  let node: ApiNode;

  before(async () => {
    mails = await MailSink.start();
    node = await ApiNode.start(stores, { env: { SMTP_URL: mails.url } });
  });
  after(async () => {
    await node.stop();
    await mails.stop();
  });

  const change = (at: ApiNode, { token }: TestUser, from: string, to: string): Promise<Answer> =>
    at.post('/v1/auth/change-password', { current_password: from, new_password: to }, { authorization: `Bearer ${token}` });

  it('a changed password: when, from where, and what to do', async () => {
    const user = await node.register();
    expect((await change(node, user, PASSWORD, 'another good one')).status).to.equal(200);
    await until(() => mails.to(user.email, CHANGED).length === 1);
    const [text = ''] = mails.to(user.email, CHANGED);
    expect(text).to.match(/Time: \d{4}-\d\d-\d\dT/);
    expect(text).to.include('Network address: ').and.include('If it was not you');
    expect(text).to.not.include('another good one');
  });

  it('a changed key and a deleted account, where the address was verified', async () => {
    const user = await node.register();
    const users = node.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: user.id }, { $set: { emailVerifiedAt: new Date() } });
    const { id } = await node.createKey(user, 'my bot');
    const authorization = `Bearer ${user.token}`;
    const { status } = await node.post(`/v1/auth/api-keys/${id}/change`, { scopes: ['read'] }, { authorization });
    expect(status).to.equal(200);
    await until(() => mails.to(user.email, 'An API key was changed').some((text) => text.includes('"my bot"')));
    const body = JSON.stringify({ password: PASSWORD });
    const headers = { authorization, 'content-type': 'application/json' };
    expect((await node.request('DELETE', '/v1/auth/account', { body, headers })).status).to.equal(200);
    await until(() => mails.to(user.email, 'Your account was deleted').length === 1);
  });

  it('a refused change is told to no one', async () => {
    const user = await node.register();
    expect((await change(node, user, 'a bad password', 'another good one')).status).to.equal(401);
    await until(() => node.mails.load === 0);
    expect(mails.to(user.email, CHANGED)).to.deep.equal([]);
  });

  it('one kind of notice is mailed five times an hour, however often the act is done', async () => {
    const user = await node.register();
    for (let n = 0; n < 7; n++) {
      const [from, to] = n % 2 ? ['another good one', PASSWORD] : [PASSWORD, 'another good one'];
      expect((await change(node, user, from as string, to as string)).status).to.equal(200);
    }
    await until(() => node.logLines.filter((line) => line.includes('had many of them this hour')).length === 2);
    await until(() => node.mails.load === 0);
    expect(mails.to(user.email, CHANGED)).to.have.length(5);
  });

  it('a silent mail server holds up no request and no other work', async () => {
    const silent = await MailSink.start({ isSilent: true });
    const waiting = await ApiNode.start(stores, { env: { SMTP_URL: silent.url } });
    const user = await waiting.register();
    for (let n = 0; n < 12; n++) {
      expect((await waiting.post('/v1/auth/forgot-password', { email: user.email })).status).to.equal(200);
    }
    expect((await change(waiting, user, PASSWORD, 'another good one')).status).to.equal(200);
    await until(() => waiting.background.load === 0);
    expect(waiting.mails.load).to.be.greaterThan(0);
    await silent.stop();
    await waiting.stop();
  });
});
