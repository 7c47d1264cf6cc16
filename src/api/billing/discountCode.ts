// A discount code as clients send it.
import { Type } from '@sinclair/typebox';

export const DiscountCode = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  expected: 'a code of 1 to 64 letters, digits, _ or -',
});
