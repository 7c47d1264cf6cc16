import { expect } from 'chai';
import { createSeldomLog } from '../../../../src/api/access/limits/seldomLog.ts';

describe('seldomLog: what others can cause at will is told once a minute', () => {
  it('writes the first of each kind a minute, then how many were left out', () => {
    const lines: [string, object, string][] = [];
    const write =
      (level: string) =>
      (fields: object, text: string): void =>
        void lines.push([level, fields, text]);
    let nowMs = 0;
    const log = { info: write('info'), warn: write('warn'), error: write('error') } as unknown as Parameters<
      typeof createSeldomLog
    >[0];
    const seldom = createSeldomLog(log, () => nowMs);
    for (let i = 0; i < 1000; i++) seldom.info('invalid_api_key', { i }, 'request refused');
    seldom.warn('busy', {}, 'request failed');
    nowMs = 60_000;
    seldom.info('invalid_api_key', { i: 1000 }, 'request refused');
    expect(lines).to.deep.equal([
      ['info', { i: 0 }, 'request refused'],
      ['warn', {}, 'request failed'],
      ['info', { i: 1000, leftOut: 999 }, 'request refused'],
    ]);
  });
});
