// A difference of two accounts: its reason, and the acts of both with their evidence, side by side.
import type { ComparedDifference, ComparedFact } from '../../api/contract.ts';
import { EvidenceView } from '../../parts/account/EvidenceView.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Digits, Moment, Usd } from '../../parts/numbers.tsx';
import { chooseAccount, MASTER, userAccounts } from '../../state/chosenAccount.ts';

/** Names of the reasons; the answer's own text says the rest. */
const REASONS: Readonly<Record<ComparedDifference['why'], string>> = {
  fees: 'Other fees',
  leverage: 'Another leverage',
  fill_model: 'Another fill model',
  latency: 'Latency',
  command: 'A command of one account alone',
  own_money: 'Money of one account alone',
  lost: 'Entries are lost',
  earlier: 'After an earlier difference',
  moment: 'Another moment',
};

/** A reason that this page does not know is shown by its own name. */
export const reasonWords = (why: ComparedDifference['why']): string => REASONS[why] ?? why;

interface Props {
  readonly difference: ComparedDifference;
  readonly names: readonly [string, string];
}

export function DifferenceView({ difference: { text, coin, account, with: other, stood }, names }: Props) {
  return (
    <div class="difference">
      <p>
        {coin !== null && <b>{coin}: </b>}
        {text}
      </p>
      <div class="bothSides">
        <FactView name={names[0]} fact={account} stood={stood.account} />
        <FactView name={names[1]} fact={other} stood={stood.with} />
      </div>
    </div>
  );
}

interface FactProps {
  readonly name: string;
  readonly fact: ComparedFact | null;
  readonly stood: ComparedFact | null;
}

function FactView({ name, fact, stood }: FactProps) {
  return (
    <section aria-label={name}>
      <h4>
        <bdi>{name}</bdi>
      </h4>
      <p>{fact?.text ?? 'Nothing of the kind.'}</p>
      {fact !== null && <Entry fact={fact} />}
      {stood !== null && (
        <p class="quiet">
          Before: {stood.text}, entry {stood.seq}.
        </p>
      )}
    </section>
  );
}

function Entry({
  fact: { address, seq, time, command, waited_ms: waitedMs, oid, account_value: value, fill },
}: {
  readonly fact: ComparedFact;
}) {
  // Its pages are about the account that is shown.
  const show = (): void => {
    const isMaster = userAccounts.peek()?.accounts.find((one) => one.address === address)?.name === null;
    chooseAccount(isMaster ? MASTER : address);
  };
  return (
    <>
      <Facts
        facts={[
          { term: 'Entry', value: seq },
          { term: 'Time', value: <Moment at={time} /> },
          command !== null && { term: 'Command', value: command },
          waitedMs !== null && { term: 'Waited, ms', value: waitedMs },
          oid !== null && {
            term: 'Order',
            value: (
              <a href={`/orders/${oid}`} onClick={show}>
                {oid}
              </a>
            ),
          },
          fill !== null && {
            term: 'Fill',
            value: (
              <a href={`/fills/${fill.fill.tid}`} onClick={show}>
                {fill.fill.tid}
              </a>
            ),
          },
          fill !== null && { term: 'Price', value: <Digits value={fill.fill.px} /> },
          fill !== null && { term: 'Size', value: <Digits value={fill.fill.sz} /> },
          fill !== null && { term: 'Fee, USD', value: <Digits value={fill.fill.fee} /> },
          value !== null && { term: 'Account value', value: <Usd value={value} /> },
        ]}
      />
      {fill !== null && <EvidenceView evidence={fill.evidence} filledMs={fill.fill.time} />}
    </>
  );
}
