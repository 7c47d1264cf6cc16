// The field `scale` of requests that take over an address: what its sizes and money are multiplied by.
import { Type } from '@sinclair/typebox';
import { Decimal } from '../../shared/domain/decimal.ts';
import { unreadable } from '../http/requestReader.ts';

const SCALE_MAX = 1000;

export const ScaleField = Type.Optional(
  Type.String({
    pattern: '^\\d{1,4}(\\.\\d{1,8})?$',
    expected: `a decimal string above 0 and up to ${SCALE_MAX}`,
    description: `Sizes and money are multiplied by it: above 0, up to ${SCALE_MAX}, at most 8 decimals. Absent: 1.`,
    examples: ['0.01'],
  }),
);

/** As it is written everywhere. @throws {RequestError} 400 */
export function toScale(text = '1'): string {
  const scale = new Decimal(text);
  if (scale.lte(0) || scale.gt(SCALE_MAX)) throw unreadable(`scale must be above 0 and at most ${SCALE_MAX}`);
  return scale.toFixed();
}
