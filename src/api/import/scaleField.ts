// The field `scale` of requests that take over an address: what its sizes and money are multiplied by.
import { Type } from '@sinclair/typebox';
import { Decimal } from '../../shared/domain/decimal.ts';
import { decimalText } from '../contract/requestValues.ts';

export const ScaleField = Type.Optional({
  ...decimalText({ to: 3, decimals: 8 }, 'a decimal string above 0 and up to 1000'),
  description: 'Sizes and money are multiplied by it: above 0, up to 1000, at most 8 decimals. Absent: 1.',
  examples: ['0.01'],
});

/** As it is written everywhere. */
export const toScale = (text = '1'): string => new Decimal(text).toFixed();
