// The components with all their states, on a page of their own: `npm run dashboard`, then /components/. Only the server for
// working on the dashboard has it. The browser tests photograph each section, so it has a font of its own, not the machine's.
import '../styles/all.css';
import './components.css';
import font from 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf?url';
import { type ComponentChildren, render } from 'preact';
import { ApiError } from '../api/answer.ts';
import { AccountsTable, CorrelationTable } from '../pages/accounts/AccountsTable.tsx';
import { DayChart } from '../pages/results/DayChart.tsx';
import { WhyOpen } from '../pages/trading/OrderLife.tsx';
import { EvidenceView } from '../parts/account/EvidenceView.tsx';
import { FillTable } from '../parts/account/FillTable.tsx';
import { OrderTable } from '../parts/account/OrderTable.tsx';
import { PositionTable } from '../parts/account/PositionTable.tsx';
import { ErrorState, Loading } from '../parts/answers.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { DataTable, Pager } from '../parts/DataTable.tsx';
import { Field, Form } from '../parts/Form.tsx';
import { Digits, Gain, GainPercent, Moment, Side, Usd } from '../parts/numbers.tsx';
import { AccountSwitcher, Choices } from '../parts/shell/AccountMenu.tsx';
import { PeriodTabs } from '../parts/Tabs.tsx';
import { nameOf, userAccounts } from '../state/chosenAccount.ts';
import { timeZone } from '../state/settings.ts';
import {
  BOOK,
  CURVES,
  DAY_VALUES,
  FILLED_MS,
  FILLS,
  ORDER,
  ORDERS,
  POSITIONS,
  TRADE,
  USER_ACCOUNTS,
  WAITING,
} from './samples.ts';

timeZone.value = 'utc';

function Components() {
  return (
    <main class="components">
      <h1>Components</h1>
      {Object.entries(SECTIONS).map(([name, states]) => (
        <section key={name} data-component={name} aria-label={`States of ${name}`}>
          <h2>{name}</h2>
          {Object.entries(states).map(([state, content]) => (
            <div key={state}>
              <p class="quiet">{state}</p>
              {content}
            </div>
          ))}
        </section>
      ))}
    </main>
  );
}

// The switcher shows the accounts that the page read last.
userAccounts.value = USER_ACCOUNTS;

const nothing = (): void => undefined;
const nothingSent = async (): Promise<void> => undefined;

const NAMES = [
  { name: 'bot', note: 'short' },
  { name: '<b>no markup</b> & "quotes"', note: 'text' },
  { name: 'مفتاح البوت الأول', note: 'right to left' },
  { name: 'a name that is as long as names may be, and goes on for quite a while after that', note: 'long' },
];

const REFUSAL = new ApiError('Market data is stale (12.4 s). asset=0', {
  status: 200,
  code: 'refused',
  requestId: '5f1d2c3b',
  retryAfter: null,
});

/** By component, then by state. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, ComponentChildren>>>> = {
  numbers: {
    gains: (
      <>
        <Gain value="1234567.891" /> <Gain value="-0.5" /> <Gain value="0" /> <GainPercent value={0.1234} />{' '}
        <GainPercent value={-0.9} />
      </>
    ),
    amounts: (
      <>
        <Usd value="1234567.899" /> <Digits value="0.00001234" /> <Digits value={null} /> <Side side="buy" />{' '}
        <Side side="short" /> <Moment at="2020-02-29T23:59:59.000Z" />
      </>
    ),
  },
  states: {
    loading: <Loading lines={2} />,
    refused: <ErrorState error={REFUSAL} onRetry={nothing} />,
    unreachable: <ErrorState error={new TypeError('Failed to fetch')} />,
    old: (
      <div class="app old">
        <dl class="figures">
          <div>
            <dt>Account value</dt>
            <dd>
              <Usd value="9958.96" />
            </dd>
          </div>
        </dl>
      </div>
    ),
  },
  table: {
    empty: <DataTable caption="Keys" columns={[]} rows={[]} keyOf={nothingOf} empty={<p>No key yet.</p>} />,
    texts: (
      <DataTable
        caption="Keys"
        columns={[
          { head: 'Name', cell: ({ name }) => <bdi>{name}</bdi>, by: ({ name }) => name },
          { head: 'Kind', cell: ({ note }) => note },
        ]}
        rows={NAMES}
        keyOf={({ name }) => name}
        empty=""
      />
    ),
    turned: (
      <div dir="rtl">
        <DataTable
          caption="Keys"
          columns={[{ head: 'اسم', cell: ({ name }) => <bdi>{name}</bdi> }]}
          rows={NAMES}
          keyOf={({ name }) => name}
          empty=""
        />
      </div>
    ),
  },
  positions: { none: <PositionTable positions={[]} />, some: <PositionTable positions={POSITIONS} /> },
  orders: { none: <OrderTable orders={[]} />, tree: <OrderTable orders={ORDERS} /> },
  fills: { none: <FillTable fills={[]} />, some: <FillTable fills={FILLS} /> },
  evidence: {
    book: <EvidenceView evidence={BOOK} filledMs={FILLED_MS} />,
    trade: <EvidenceView evidence={TRADE} filledMs={FILLED_MS} />,
  },
  whyOpen: { queueAhead: <WhyOpen facts={WAITING} order={ORDER} /> },
  switcher: { closed: <AccountSwitcher />, choices: <Choices /> },
  groupTable: {
    'several, of one no curve is known': (
      <AccountsTable
        accounts={USER_ACCOUNTS.accounts}
        curves={CURVES}
        period="30d"
        acts={() => <button type="button">Show</button>}
      />
    ),
  },
  correlation: {
    'together, against, none': (
      <CorrelationTable
        period="all"
        curves={USER_ACCOUNTS.accounts.flatMap((one) => {
          const points = CURVES.get(one.address);
          return points === undefined ? [] : [{ name: nameOf(one), points }];
        })}
      />
    ),
  },
  dayChart: {
    none: <DayChart label="Ratio" values={DAY_VALUES.slice(0, 5)} write={String} empty="Too few days." />,
    one: <DayChart label="Ratio" values={DAY_VALUES.slice(0, 11)} write={String} empty="" />,
    gap: <DayChart label="Ratio" values={DAY_VALUES} write={(value) => Number(value).toFixed(2)} empty="" />,
  },
  form: {
    empty: (
      <Form act="Log in" onSubmit={nothingSent}>
        <Field name="email" label="E-mail" type="email" autocomplete="off" />
        <Field name="password" label="Password" type="password" autocomplete="off" value="correct horse" />
      </Form>
    ),
  },
  buttons: {
    all: (
      <>
        <PeriodTabs chosen="7d" onChoose={nothing} />
        <Pager onOlder={nothing} />
        <CopyButton text="copied" />
      </>
    ),
  },
};

/** Each component in its states, from made-up data that never changes. */
function nothingOf(): string {
  return '';
}

const face = await new FontFace('components', `url(${font})`).load();
document.fonts.add(face);
render(<Components />, document.body);
