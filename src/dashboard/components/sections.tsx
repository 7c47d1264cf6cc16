// What the page of components shows: each component in its states, from made-up data that never changes.
import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/answer.ts';
import { EvidenceView } from '../parts/account/EvidenceView.tsx';
import { FillTable } from '../parts/account/FillTable.tsx';
import { OrderTable } from '../parts/account/OrderTable.tsx';
import { PositionTable } from '../parts/account/PositionTable.tsx';
import { WhyOpen } from '../parts/account/WhyOpen.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { Field, Form } from '../parts/Form.tsx';
import { CorrelationTable } from '../parts/group/CorrelationTable.tsx';
import { GroupTable } from '../parts/group/GroupTable.tsx';
import { Digits, Gain, GainPercent, Moment, Side, Usd } from '../parts/numbers.tsx';
import { Pager } from '../parts/Pager.tsx';
import { PeriodTabs } from '../parts/PeriodTabs.tsx';
import { DayChart } from '../parts/results/DayChart.tsx';
import { AccountSwitcher, Choices } from '../parts/shell/AccountSwitcher.tsx';
import { ErrorState, Loading } from '../parts/states.tsx';
import { group, nameOf } from '../state/chosenAccount.ts';
import { CURVES, DAY_VALUES, GROUP } from './sampleGroup.ts';
import { BOOK, FILLED_MS, FILLS, ORDER, ORDERS, POSITIONS, TRADE, WAITING } from './sampleRows.ts';

// What the switcher shows is what the page was told last.
group.value = GROUP;

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
export const SECTIONS: Readonly<Record<string, Readonly<Record<string, ComponentChildren>>>> = {
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
      <GroupTable accounts={GROUP.accounts} curves={CURVES} period="30d" acts={() => <button type="button">Show</button>} />
    ),
  },
  correlation: {
    'together, against, none': (
      <CorrelationTable
        period="all"
        curves={GROUP.accounts.flatMap((one) => {
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

function nothingOf(): string {
  return '';
}
