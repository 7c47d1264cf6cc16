import { expect } from 'chai';
import { wrongClocks } from '../../../src/shared/deployment/liveProcesses.ts';

describe('wrongClocks: what health says of machines whose clocks are wrong', () => {
  it('names each process and how far it is off, and says nothing of the others', () => {
    const said = (fields: object): string => `1700000000000 ${JSON.stringify({ roles: ['api'], ...fields })}`;
    const processes = { 'api-1': said({}), 'pod-1': said({ clockAheadMs: 3_600_000 }), 'pod-2': said({ clockAheadMs: -10_040 }) };
    expect(wrongClocks(processes)).to.deep.equal([
      'The clock of pod-1’s machine is 3600.0 s ahead of Redis’s',
      'The clock of pod-2’s machine is 10.0 s behind Redis’s',
    ]);
  });
});
