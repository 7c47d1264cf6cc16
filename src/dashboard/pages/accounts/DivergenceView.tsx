// Each fill of a mirrored address beside ours, and what the difference comes from. Positive = worse for the account.
import type { DivergenceAmount, DivergenceCauses, DivergenceFill, DivergenceReport } from '../../api/contract.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Cut, Digits, Moment, Side } from '../../parts/numbers.tsx';
import { exchangePath } from '../../state/chosenAccount.ts';
import { InParts } from './AccountChoice.tsx';

export function DivergenceView({ account }: { readonly account: string }) {
  return (
    <section aria-labelledby="divergence">
      <h2 id="divergence">Its fills beside ours</h2>
      <InParts<DivergenceReport>
        path={exchangePath(`account/divergence?account=${account}`)}
        lines={8}
        goOn="Later fills"
        again="Read it again"
      >
        {(report) => <Report report={report} />}
      </InParts>
    </section>
  );
}

function Report({ report: { fills, total, from, to, complete } }: { readonly report: DivergenceReport }) {
  const { filled, partial, missed, waits, unread } = total.states;
  return (
    <>
      <p class="quiet">
        {total.fills} fills of the address{' '}
        {from !== null && (
          <>
            from <Moment at={from} /> to <Moment at={to} />
          </>
        )}
        : {filled} filled here, {partial} in part, {missed} missed, {waits} may still be filled
        {unread > 0 && `, ${unread} whose copy is of before`}. Positive is worse for the account.
        {!complete && ' There are later ones.'}
      </p>
      {total.fills > 0 && (
        <DataTable
          caption="What the difference comes from"
          columns={SUM_COLUMNS}
          rows={sumsOf(total)}
          keyOf={({ name }) => name}
          empty=""
        />
      )}
      <DataTable
        caption="Fills of the address"
        columns={COLUMNS}
        rows={fills}
        keyOf={({ real: { tid }, seq }) => `${seq} ${tid}`}
        empty="No fill of the address has come so far."
      />
    </>
  );
}

interface NamedSum {
  readonly name: string;
  readonly amount: DivergenceAmount;
}

const CAUSES: readonly (readonly [cause: keyof DivergenceCauses, name: string, help: string])[] = [
  ['delay', 'Delay', 'What the best price was here when the fill was heard, beside the price there.'],
  ['price', 'Price', 'What was paid here beside that best price.'],
  ['missed', 'Missed', 'Fills of which nothing was filled here, at the mark.'],
  ['partial', 'Partial', 'What was not filled of the others, at the mark.'],
  ['fees', 'Fees', 'The fee here less the fee there times the scale.'],
];

const sumsOf = ({ causes, difference }: DivergenceReport['total']): readonly NamedSum[] => [
  ...CAUSES.map(([cause, name]) => ({ name, amount: causes[cause] })),
  { name: 'All of it', amount: difference },
];

const SUM_COLUMNS: readonly Column<NamedSum>[] = [
  { head: 'Cause', cell: ({ name }) => name },
  { head: 'USD', isNumber: true, cell: ({ amount }) => <Digits value={amount.usd} />, by: ({ amount }) => Number(amount.usd) },
  { head: 'Basis points', isNumber: true, cell: ({ amount }) => <Digits value={amount.bps} /> },
];

const number = (
  head: string,
  of: (fill: DivergenceFill) => string | null | undefined,
  help?: string,
): Column<DivergenceFill> => ({
  ...{ head, isNumber: true, cell: (fill) => <Cut value={of(fill) ?? null} />, by: (fill) => Number(of(fill) ?? 0) },
  ...(help !== undefined && { help }),
});

const COLUMNS: readonly Column<DivergenceFill>[] = [
  { head: 'Heard', cell: ({ heard }) => <Moment at={heard} />, by: ({ heard }) => heard },
  { head: 'Coin', cell: ({ coin }) => coin, by: ({ coin }) => coin },
  { head: 'Side', cell: ({ side }) => <Side side={side} /> },
  {
    head: 'Here',
    cell: ({ state, text }) => (text === null ? STATES[state] : `${STATES[state]}: ${text}`),
    by: ({ state }) => state,
  },
  number('Size there', ({ scaled_size: size }) => size, 'Times the scale.'),
  number('Size here', ({ ours }) => ours.size),
  number('Price there', ({ real }) => real.price),
  number('Price here', ({ ours }) => ours.price, 'The average.'),
  number('Touch', ({ touch }) => touch, 'The best price of the other side here when the fill was heard.'),
  number('Mark', ({ mark }) => mark),
  ...CAUSES.map(([cause, name, help]) => number(`${name}, USD`, ({ causes }) => causes?.[cause].usd, help)),
  number('All, USD', ({ difference }) => difference?.usd),
  number('All, bps', ({ difference }) => difference?.bps),
];

const STATES: Readonly<Record<DivergenceFill['state'], string>> = {
  filled: 'filled',
  partial: 'in part',
  missed: 'missed',
  waits: 'may still be filled',
  unread: 'copy of before',
};
