// All accounts of the user side by side: their value together, every figure of each account, their equity in one picture, and the
// correlation of their returns. Made, renamed and funded here.
import { useMemo, useState } from 'preact/hooks';
import type { AccountGroup, GroupAccount } from '../../api/contract.ts';
import { accountsCurve } from '../../domain/figures/accounts.ts';
import { type CurvePoint, upToNow } from '../../domain/figures/curve.ts';
import { ErrorState, Loading } from '../../parts/answers.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Dialog, Field, Form } from '../../parts/Form.tsx';
import { Gain, Usd } from '../../parts/numbers.tsx';
import { type Period, PeriodTabs } from '../../parts/Tabs.tsx';
import { chooseAccount, MASTER, nameOf, readUserAccounts } from '../../state/chosenAccount.ts';
import { AccountsChart, useCurves } from './AccountsChart.tsx';
import { AccountsPage } from './AccountsPage.tsx';
import { AccountsTable, CorrelationTable, type NamedCurve } from './AccountsTable.tsx';
import { createSubAccount, renameSubAccount, Transfer } from './Transfer.tsx';

/** Each answer costs what asking for every account does. */
const LOOK_MS = 60_000;

export default function Accounts() {
  return (
    <AccountsPage title="Accounts" everyMs={LOOK_MS}>
      {(now) => <SideBySide now={now} />}
    </AccountsPage>
  );
}

function SideBySide({ now: { accounts, total } }: { readonly now: AccountGroup }) {
  const [period, setPeriod] = useState<Period>('1d');
  const [renamed, setRenamed] = useState<GroupAccount>();
  const [isMoving, setIsMoving] = useState(false);
  const subAccounts = accounts.filter(({ name }) => name !== null);
  const asked = useCurves(
    accounts.map(({ address }) => address),
    period,
  );
  const { curves, read } = useMemo(() => curvesOf(accounts, asked.curves), [accounts, asked.curves]);
  const points = useMemo(() => accountsCurve(read.map((one) => one.points)), [read]);
  const acts = (account: GroupAccount) => (
    <>
      <button type="button" class="small" onClick={() => chooseAccount(account.name === null ? MASTER : account.address)}>
        Show
      </button>{' '}
      {account.name !== null && (
        <button type="button" class="small" onClick={() => setRenamed(account)}>
          Rename
        </button>
      )}
      {account.fork !== null && <a href={`/group/compare?with=${account.address}`}> Compare</a>}
      {account.name !== null && account.fork === null && <a href={`/group/mirror?account=${account.address}`}> Address</a>}
    </>
  );
  return (
    <>
      <section aria-labelledby="total">
        <h2 id="total">Together</h2>
        <Facts
          kind="figures"
          facts={[
            { term: 'Value of all accounts', value: <Usd value={total.account_value} /> },
            {
              term: 'Under way',
              value: <Usd value={total.under_way_usd} />,
              help: 'Transfers that have left one account and have not arrived. They are in the value of all accounts, once.',
            },
            { term: 'Unrealized', value: <Gain value={total.unrealized_pnl} /> },
            { term: 'Margin used', value: <Usd value={total.margin_used} /> },
            { term: 'Withdrawable', value: <Usd value={total.withdrawable} /> },
            { term: 'Positions', value: total.open_positions },
            { term: 'Orders', value: total.open_orders },
          ]}
        />
      </section>
      <section aria-labelledby="accounts">
        <div class="row">
          <h2 id="accounts">Each account</h2>
          <PeriodTabs chosen={period} onChoose={setPeriod} />
        </div>
        <AccountsTable accounts={accounts} curves={curves} period={period} acts={acts} />
        <p class="ways">
          <button type="button" disabled={subAccounts.length === 0} onClick={() => setIsMoving(true)}>
            Move USD between accounts
          </button>
          {asked.left > 0 && (
            <button type="button" disabled={asked.isAsking} onClick={asked.askMore}>
              Read more curves ({asked.left} left)
            </button>
          )}
          <button type="button" disabled={asked.isAsking} onClick={asked.askAgain}>
            Read the curves again
          </button>
        </p>
        <Form act="Make a sub-account" onSubmit={make}>
          <Field name="name" label="Name of a new account, 1 to 16 characters" autocomplete="off" />
        </Form>
      </section>
      <section aria-labelledby="equity">
        <h2 id="equity">Equity</h2>
        {asked.error && <ErrorState error={asked.error} onRetry={asked.goOn} />}
        {read.length === 0 ? (
          asked.error === undefined && <Loading lines={6} />
        ) : (
          <AccountsChart label={`Equity of the accounts, ${period}`} names={read.map(({ name }) => name)} points={points} />
        )}
      </section>
      {read.length > 1 && (
        <section aria-labelledby="correlation">
          <h2 id="correlation">Correlation</h2>
          <CorrelationTable curves={read} period={period} />
        </section>
      )}
      {isMoving && <Transfer accounts={subAccounts} onDone={readUserAccounts} onClose={() => setIsMoving(false)} />}
      {renamed && <Rename account={renamed} onClose={() => setRenamed(undefined)} />}
    </>
  );
}

async function make(data: FormData): Promise<void> {
  await createSubAccount(String(data.get('name')));
  await readUserAccounts();
}

function Rename({ account, onClose }: { readonly account: GroupAccount; readonly onClose: () => void }) {
  return (
    <Dialog
      title="Rename the account"
      act="Rename it"
      onAct={async (data) => {
        await renameSubAccount(account.address, String(data.get('name')));
        await readUserAccounts();
      }}
      onClose={onClose}
    >
      <Field name="name" label="New name, 1 to 16 characters" autocomplete="off" value={nameOf(account)} />
    </Dialog>
  );
}

/** The curves that are read, each ending with what its account is worth now. */
function curvesOf(accounts: readonly GroupAccount[], known: ReadonlyMap<string, readonly CurvePoint[]>) {
  const curves = new Map<string, readonly CurvePoint[]>();
  const read: NamedCurve[] = [];
  for (const account of accounts) {
    const points = known.get(account.address);
    if (points === undefined) continue;
    const { seq, as_of, account_value: accountValue, net_deposits: netDeposits } = account;
    const ended = upToNow(points, undefined, { seq, timeMs: Date.parse(as_of), accountValue });
    const last = ended.at(-1);
    const own = ended === points || last === undefined ? points : [...ended.slice(0, -1), { ...last, netDeposits }];
    curves.set(account.address, own);
    read.push({ name: nameOf(account), points: own });
  }
  return { curves, read };
}
