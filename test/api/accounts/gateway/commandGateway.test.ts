import { expect } from 'chai';
import { CommandGateway, type CommandGatewayParts } from '../../../../src/api/accounts/gateway/commandGateway.ts';
import { readConfig } from '../../../../src/shared/config.ts';
import type { Format } from '../../../../src/shared/domain/formats.ts';
import { RequestError } from '../../../../src/shared/errors.ts';

describe('commandGateway: what the deployment’s record does not allow yet', () => {
  it('is refused before anything is sent, and says when it will be offered', async () => {
    const beforeAll = 0 as Format;
    const parts = { config: readConfig({}), formats: { current: beforeAll, recorded: beforeAll }, realNow: () => 0, nodeId: 'n' };
    // Redis is left out: whatever would be sent ends the test.
    const gateway = new CommandGateway(parts as unknown as CommandGatewayParts);
    const refusal = await gateway.send('a', { type: 'query', query: { kind: 'summary' } }, { requestId: 'r' }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(RequestError);
    expect(refusal).to.include({ status: 503, code: 'store_unavailable' });
    expect(gateway.waiting).to.equal(0);
  });
});
