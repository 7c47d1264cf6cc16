// A fork beside the account that it was forked from, or beside another fork of it: their equity in one picture, the first entry where they
// differ, and why.
import { useMemo } from 'preact/hooks';
import type { ComparedAccount, Comparison, GroupAccount } from '../../api/contract.ts';
import { type AccountsPoint, accountsCurve, comparedPair, partnersOf } from '../../domain/figures/accounts.ts';
import { type CurvePoint, gainOf } from '../../domain/figures/curve.ts';
import { usd } from '../../domain/texts.ts';
import { TermsNote } from '../../parts/account/TermsNote.tsx';
import type { Line } from '../../parts/chart/draw.ts';
import { accountColour, LinesChart } from '../../parts/chart/LinesChart.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Gain, Moment, Usd } from '../../parts/numbers.tsx';
import { exchangePath, nameOf, userAccounts } from '../../state/chosenAccount.ts';
import { address, navigate } from '../../state/route.ts';
import { theme, timeZone } from '../../state/settings.ts';
import { AccountChoice, InParts } from './AccountChoice.tsx';
import { AccountsPage } from './AccountsPage.tsx';
import { DifferenceView, reasonWords } from './DifferenceView.tsx';

export default function Compare() {
  return <AccountsPage title="Compare accounts">{({ accounts }) => <Pair accounts={accounts} />}</AccountsPage>;
}

function Pair({ accounts }: { readonly accounts: readonly GroupAccount[] }) {
  const query = new URLSearchParams(address.value.replace(/^[^?]*/, ''));
  const pair = comparedPair(accounts, { fork: query.get('with'), other: query.get('account') });
  if (pair === undefined)
    return (
      <p>
        There is no fork to compare. A fork begins with the state of any entry of an account; a what-if goes on with its commands
        under other terms. <a href="/group">All accounts</a>
      </p>
    );
  const { fork, other } = pair;
  const show = (next: { readonly fork: string; readonly other?: string }): void =>
    navigate(`/group/compare?with=${next.fork}${next.other === undefined ? '' : `&account=${next.other}`}`, { replaces: true });
  const forks = accounts.filter((one) => one.fork !== null);
  return (
    <>
      <div class="filters">
        <AccountChoice label="Fork" accounts={forks} chosen={fork} onChoose={(to) => show({ fork: to })} />
        <AccountChoice
          label="Beside"
          accounts={partnersOf(accounts, fork)}
          chosen={other}
          onChoose={(to) => show({ fork: fork.address, other: to })}
        />
        <a href="/group">All accounts</a>
      </div>
      <Compared key={`${fork.address} ${other.address}`} fork={fork} other={other} />
    </>
  );
}

interface PairProps {
  readonly fork: GroupAccount;
  readonly other: GroupAccount;
}

function Compared({ fork, other }: PairProps) {
  return (
    <InParts<Comparison>
      path={exchangePath(`account/compare?account=${other.address}&with=${fork.address}`)}
      lines={10}
      goOn="Go on from there"
      again="Compare again"
    >
      {(comparison) => <ComparisonView comparison={comparison} names={[nameOf(other), nameOf(fork)]} />}
    </InParts>
  );
}

type Names = readonly [string, string];

function ComparisonView({ comparison, names }: { readonly comparison: Comparison; readonly names: Names }) {
  const { account, with: other, common, from, differences, more_differences: more } = comparison;
  const curves = useMemo(() => [pointsOf(account), pointsOf(other)] as const, [comparison]);
  const [first, ...later] = differences;
  return (
    <>
      <section aria-labelledby="equity">
        <h2 id="equity">Equity since they parted</h2>
        <p class="quiet">
          Entry {common.seq} of <bdi>{nameAt(common.address)}</bdi> is the last that both have. {termsWords(account, names[0])}{' '}
          {termsWords(other, names[1])}
        </p>
        <Facts
          kind="figures"
          facts={names.map((name, i) => ({ term: `Gain, ${name}`, value: <Gain value={gainOf(curves[i] ?? [])} /> }))}
        />
        {[account, other].map((one, i) => (
          <TermsNote key={one.address} terms={one.account_terms} name={names[i] ?? one.address} />
        ))}
        <ComparedChart names={names} curves={curves} />
      </section>
      <section aria-labelledby="first">
        <h2 id="first">Where they part</h2>
        <p class="quiet">
          Compared from <Moment at={from} /> to <Moment at={comparison.to} />. {BEGINS[comparison.begins]}
        </p>
        {!comparison.complete && (
          <p class="notice">
            One request reads {comparison.entries_read} entries of both: what is after that time is not known yet.
          </p>
        )}
        {first === undefined ? (
          <p>Nowhere so far: both did the same.</p>
        ) : (
          <>
            <h3>
              {reasonWords(first.why)}, <Moment at={first.time} />
            </h3>
            <DifferenceView difference={first} names={names} />
          </>
        )}
      </section>
      {later.length > 0 && (
        <section aria-labelledby="later">
          <h2 id="later">Later</h2>
          <p class="quiet">
            The first of each further order or other thing. After a first difference most follow from it.
            {more > 0 && ` ${more} more are not shown.`}
          </p>
          {later.map((difference, i) => (
            <details key={i}>
              <summary>
                {reasonWords(difference.why)}, <Moment at={difference.time} />
              </summary>
              <DifferenceView difference={difference} names={names} />
            </details>
          ))}
        </section>
      )}
    </>
  );
}

function nameAt(wanted: string): string {
  const account = userAccounts.value?.accounts.find((one) => one.address === wanted);
  return account === undefined ? 'another account' : nameOf(account);
}

const BEGINS: Readonly<Record<Comparison['begins'], string>> = {
  common: '',
  since: 'Orders that were placed before are left out.',
  kept: 'Older entries are no longer kept: orders that were placed before are left out.',
};

function termsWords({ terms }: ComparedAccount, name: string): string {
  if (terms === null) return '';
  const words = [
    terms.fees && `fees of ${terms.fees.maker} and ${terms.fees.taker}`,
    terms.leverage !== undefined && `leverage ${terms.leverage}`,
    terms.fill_model !== undefined && `fill model ${terms.fill_model}`,
    terms.latency && 'a latency',
  ].filter(Boolean);
  return `${name}: ${words.length === 0 ? 'the same terms' : words.join(', ')}.`;
}

const pointsOf = ({ curve }: ComparedAccount): readonly CurvePoint[] =>
  curve.points.map(({ time, equity, net_deposits: netDeposits }) => ({ timeMs: Date.parse(time), equity, netDeposits }));

interface Props {
  readonly names: readonly [string, string];
  readonly curves: readonly [readonly CurvePoint[], readonly CurvePoint[]];
}

/** The equity of two accounts in one picture. */
export function ComparedChart({ names, curves }: Props) {
  const look = `${theme.value} ${timeZone.value}`;
  const rows = useMemo(() => accountsCurve(curves), [curves]);
  const lines = useMemo(() => curves.map(lineOf), [curves, look]);
  const texts = names.map((name, i) => {
    const value = curves[i]?.at(-1)?.equity;
    return value === undefined ? `${name} not begun` : `${name} ${usd(value)} USD`;
  });
  const columns: readonly Column<AccountsPoint>[] = [
    { head: 'Time', cell: ({ timeMs }) => <Moment at={timeMs} /> },
    ...names.map(
      (name, i): Column<AccountsPoint> => ({
        head: name,
        isNumber: true,
        cell: ({ values }) => (values[i] === undefined ? <span class="none">–</span> : <Usd value={values[i]} />),
      }),
    ),
  ];
  const sentence = `now ${texts.join(', ')}.`;
  return <LinesChart label="Equity of both" {...{ sentence, names, lines, columns, rows }} />;
}

const lineOf = (points: readonly CurvePoint[], i: number): Line => ({
  colour: accountColour(i),
  isThick: i === 0,
  points: points.map(({ timeMs, equity }) => [timeMs, equity] as const),
});
