// GET /v1/admin/quarantine, POST …/{account}/lift: accounts that are halted. What gives entries up is left to `bin/admin`, which says first
// what is lost.
import { type TObject, Type } from '@sinclair/typebox';
import { haltedAccounts, toHaltedRow } from '../../operators/acts/haltedAccounts.ts';
import { liftAccount, requireHaltedAccount, requireLiftable } from '../../operators/acts/quarantine.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { Address, Count, exactly, IsoTime, orNull } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { type AdminEndpoint, act, look, MAY_BE_UNKNOWN } from '../../operators/endpoints.ts';

/** Accounts that an answer shows. */
const SHOWN_MAX = 1000;

const listHalted = look({
  id: 'listHaltedAccounts',
  path: '/v1/admin/quarantine',
  summary: `Halted accounts: in quarantine after a fault, or not loaded by their owners; ${SHOWN_MAX} at most.`,
  answer: named(
    'HaltedAccounts',
    exactly({
      count: described(Count, 'How many there are.'),
      accounts: Type.Array(
        named(
          'HaltedAccount',
          exactly({
            account: Address,
            shard: Count,
            reason: Type.String(),
            since: orNull(IsoTime),
            last_seq: orNull(Count),
            set_aside_bytes: described(Count, 'Entries that were set aside from the journal.'),
          }),
        ),
      ),
    }),
  ),
  audited: () => 'quarantine',
  read: async (_ctx, { operators }) => {
    const halted = await haltedAccounts(operators);
    return { count: halted.length, accounts: halted.slice(0, SHOWN_MAX).map(toHaltedRow) };
  },
});

const accountOf = (ctx: RouteContext): string => ctx.params['account'] ?? '';
const params: TObject = Type.Object({ account: Address });

const lift = act({
  id: 'liftQuarantine',
  path: '/v1/admin/quarantine/:account/lift',
  summary: 'Brings a halted account back with all its entries. It may take half a minute.',
  params,
  answer: named('LiftedAccount', exactly({ account: Address, seq: described(Count, 'The entry from which it goes on.') })),
  errors: MAY_BE_UNKNOWN,
  audited: (ctx) => `lift ${accountOf(ctx)}`,
  act: async ({ operators }, { ctx }) => {
    const found = await requireHaltedAccount(operators, accountOf(ctx));
    const seq = requireLiftable(found);
    await liftAccount(operators, found);
    return { account: found.account.accountId, seq };
  },
});

export const haltedEndpoints: readonly AdminEndpoint[] = [listHalted, lift];
