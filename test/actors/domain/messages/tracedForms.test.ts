import { expect } from 'chai';
import type { CommandEnvelope } from '../../../../src/actors/domain/messages/envelope.ts';
import { readEnvelope, writeEnvelope } from '../../../../src/actors/domain/messages/envelopeForm.ts';
import { readShardCommand, writeShardCommand } from '../../../../src/actors/domain/messages/shardCommand.ts';
import type { Format } from '../../../../src/shared/domain/formats.ts';

const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const command = { type: 'scanLiquidation' } as const;
const envelope: CommandEnvelope = {
  id: { incarnation: 'node.1', counter: 7 },
  requestId: 'request',
  command: { type: 'openAccount', depositUsd: '10000' },
};

describe('the trace that a command belongs to is said from generation 3 on', () => {
  for (const format of [1, 2] as const satisfies readonly Format[]) {
    it(`not by generation ${format}, whose pods do not know it`, () => {
      expect(writeEnvelope({ ...envelope, trace }, format)).to.equal(writeEnvelope(envelope, format));
      expect(writeShardCommand({ ...command, trace }, format)).to.equal(writeShardCommand(command, format));
    });
  }

  it('by generation 3', () => {
    expect(readEnvelope(writeEnvelope({ ...envelope, trace }, 3))).to.deep.equal({ ...envelope, trace });
    expect(readShardCommand(writeShardCommand({ ...command, trace }, 3))).to.deep.equal({ ...command, trace });
  });
});
