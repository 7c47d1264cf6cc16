// The registry's rules hold: each endpoint is asked without a credential, by a user who may nothing, and from another page, and
// refuses by the rules that it asks by (contract/whoMay.ts), and by no other.
import { expect } from 'chai';
import type { Endpoint } from '../../src/api/contract/endpoint.ts';
import { rulesOf } from '../../src/api/contract/whoMay.ts';
import { allEndpoints } from '../../src/api/registry.ts';
import { ApiNode } from '../support/apiNode.ts';
import { type Store, startMongo, startRedis } from '../support/stores.ts';

const OWN_PAGE = { 'x-requested-with': 'dashboard', 'sec-fetch-site': 'same-origin' };
const endpoints: readonly Endpoint[] = allEndpoints({ hasTestPayments: true, hasDashboard: false });

describe('every endpoint refuses by the rules of the table', function () {
  this.timeout(600_000);
  let stores: { redis: Store; mongo: Store };
  let node: ApiNode;
  before(async () => {
    stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
    node = await ApiNode.start(stores, { env: { REQUIRE_VERIFIED_EMAIL: 'yes' } });
  });
  after(async () => {
    await node.stop();
    await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
  });

  const codeOf = async ({ method, path }: Endpoint, headers: Record<string, string>): Promise<string | undefined> => {
    const asked = path.replace(':exchange', 'perpx').replace(/:\w+/g, 'x');
    return (await node.request(method.toUpperCase(), asked, { headers })).body?.code;
  };
  /** @param refusals codes by rule, in the order in which an endpoint asks; the first that it asks by refuses */
  const expectRefusals = async (refusals: Readonly<Record<string, string>>, headersOf: () => Promise<Record<string, string>>) => {
    for (const endpoint of endpoints) {
      const rules: readonly string[] = rulesOf(endpoint);
      const [rule] = Object.keys(refusals).filter((one) => rules.includes(one));
      const code = await codeOf(endpoint, await headersOf());
      if (rule !== undefined) expect(code, endpoint.id).to.equal(refusals[rule]);
      else expect(Object.values(refusals), endpoint.id).to.not.include(code);
    }
  };

  it('without a credential', () =>
    expectRefusals(
      { trader: 'invalid_api_key', either: 'invalid_credential', token: 'invalid_token', cookie: 'invalid_session' },
      async () => OWN_PAGE,
    ));

  it('from a page of another site', () => expectRefusals({ ownPage: 'cross_site' }, async () => ({})));

  it('by a user whose trial is over, who is no operator, and whose address is not verified', () =>
    expectRefusals(
      { paid: 'trial_expired', operator: 'not_operator', verified: 'email_not_verified' },
      // Some of the requests end the session.
      async () => {
        const { id, token } = await node.register();
        const users = node.mongo.db.collection<{ _id: string }>('users');
        await users.updateOne({ _id: id }, { $set: { trialExpiresAt: new Date(0) } });
        return { authorization: `Bearer ${token}` };
      },
    ));
});
