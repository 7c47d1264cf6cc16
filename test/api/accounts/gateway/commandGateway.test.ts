import { expect } from 'chai';
import { Redis } from 'ioredis';
import { CommandGateway, type CommandGatewayParts } from '../../../../src/api/accounts/gateway/commandGateway.ts';
import { readConfig } from '../../../../src/shared/config/config.ts';
import type { Format } from '../../../../src/shared/domain/formats.ts';
import { RequestError } from '../../../../src/shared/errors.ts';

describe('commandGateway: what the deployment’s record does not allow yet', () => {
  it('is refused before anything is sent, and says when it will be offered', async () => {
    const beforeAll = 0 as Format;
    const formats = { current: beforeAll, recorded: beforeAll };
    // Nothing connects, and the connection to send on is left out: whatever would be sent ends the test.
    const subscriber = new Redis({ lazyConnect: true });
    const parts = { config: readConfig({}), formats, subscriber, realNow: () => 0, nodeId: 'n' };
    const gateway = new CommandGateway(parts as unknown as CommandGatewayParts);
    const refusal = await gateway.send('a', { type: 'query', query: { kind: 'summary' } }, { requestId: 'r' }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(RequestError);
    expect(refusal).to.include({ status: 503, code: 'store_unavailable' });
    expect(gateway.waiting).to.equal(0);
  });

  it('what comes before a command is waited for', async () => {
    const formats = { current: 0 as Format, recorded: 0 as Format };
    const subscriber = new Redis({ lazyConnect: true });
    const steps: string[] = [];
    const before: CommandGatewayParts['before'] = async (accountId) => {
      await new Promise(setImmediate);
      steps.push(`before ${accountId}`);
    };
    const parts = { config: readConfig({}), formats, subscriber, realNow: () => 0, nodeId: 'n', before };
    const gateway = new CommandGateway(parts as unknown as CommandGatewayParts);
    const sent = gateway.send('a', { type: 'query', query: { kind: 'summary' } }, { requestId: 'r' });
    await sent.catch(() => steps.push('refused'));
    expect(steps).to.deep.equal(['before a', 'refused']);
  });
});
