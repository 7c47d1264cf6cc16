// How house rules stand in a snapshot. The rules themselves are JSON as they came.

import type { HouseRules } from '../../../../shared/domain/access/houseRules.ts';
import { type Codec, decimal, listOf, optional, plain, record } from '../../../../shared/domain/codec.ts';
import type { Breach } from '../../messages/answers/houseRulesView.ts';
import type { HouseState } from './houseState.ts';

const rules: Codec<HouseRules> = { write: (value) => value, read: (stored: HouseRules) => stored, isKept: true };

export const houseState = record<HouseState>('house rules', {
  rules,
  peakUsd: decimal,
  shareKept: optional(decimal),
  turnedMs: plain<number>(),
  breaches: listOf(
    record<Breach>('broken house rule', {
      rule: plain(),
      timeMs: plain<number>(),
      coin: optional(plain<string>()),
      found: optional(plain<string>()),
    }),
  ),
});
