// The fields of a failure lab. Each is filled in from its place in the profile, which is its name.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { LabRefusal, LabSettings } from '../../api/contract.ts';
import { fieldsOf } from './labBody.ts';

const LATENCIES = [
  ['submit', 'Orders and modifies wait in the account'],
  ['cancel', 'Cancels wait in the account'],
  ['answer', 'Answers are held back'],
  ['stream', 'WebSocket messages come late'],
] as const;

const FAULTS = [
  ['429', 'Answered 429'],
  ['500', 'Answered 500'],
  ['502', 'Answered 502'],
  ['timeoutBefore', 'No answer, nothing done'],
  ['timeoutAfterEffect', 'No answer, but done'],
  ['dropSocket', 'Connection ends'],
  ['duplicateAnswer', 'WebSocket answers twice'],
  ['partialFill', 'Order fills in part'],
] as const;

const REFUSALS: Readonly<Record<LabRefusal, string>> = {
  postOnlyAfterUpgrade: 'only post-only orders after an upgrade',
  halted: 'market is halted',
  invalidSize: 'size is invalid',
  priceOffTick: 'price is off its tick',
  invalidPrice: 'price is invalid',
  reduceOnlyWouldIncrease: 'reduce-only would increase',
  valueTooSmall: 'value is too small',
  nothingToMatch: 'nothing to match',
  noLiquidity: 'no liquidity',
  openInterestIncrease: 'open interest is at its cap',
  tierLimit: 'beyond the margin tier',
  insufficientMargin: 'insufficient margin',
  tooManyOpenOrders: 'too many open orders',
};

type Values = ReturnType<typeof fieldsOf>;

export function LabFields({ settings }: { readonly settings: LabSettings }) {
  const values = fieldsOf(settings);
  const field = (name: string, label: string) => <Value name={name} label={label} values={values} />;
  return (
    <>
      <Part legend="In general">
        {field('seed', 'Seed')}
        {field('timeoutMs', 'Without an answer, held for, ms')}
      </Part>
      {LATENCIES.map(([of, legend]) => (
        <Part key={of} legend={legend}>
          {field(`latency.${of}.medianMs`, 'Median, ms')}
          {field(`latency.${of}.sigma`, 'Spread, sigma')}
          {field(`latency.${of}.spikes.probability`, 'Spikes, probability')}
          {field(`latency.${of}.spikes.ms`, 'Spikes, ms more')}
        </Part>
      ))}
      <Part legend="Faults, probabilities from 0 to 1">{FAULTS.map(([name, label]) => field(`faults.${name}`, label))}</Part>
      <Part legend="The market as the key sees it">
        {field('feed.delay', 'Late by, ms')}
        <Box name="feed.freeze" label="It stands still" values={values} />
      </Part>
      <Part legend="Rules of the venue">
        <label class="choice">
          <input type="checkbox" name="nonces" value="strict" defaultChecked={values.has('nonces')} /> Nonces are checked
        </label>
        <Box name="postOnly" label="Only post-only orders, as after an upgrade" values={values} />
      </Part>
      <Rows legend="What becomes of orders by cloid" add="Add a script" count={settings.scripts?.length ?? 0}>
        {(at) => <Script name={`scripts.${at}`} values={values} />}
      </Rows>
      <Rows legend="When it is in force; always, where nothing is said" add="Add a window" count={settings.schedule?.length ?? 0}>
        {(at) => (
          <>
            <Value name={`schedule.${at}.from`} label="From, UTC" values={values} text="2026-11-21T12:00:00.000Z" />
            {field(`schedule.${at}.forMs`, 'For, ms')}
            {field(`schedule.${at}.everyMs`, 'Again every, ms')}
          </>
        )}
      </Rows>
    </>
  );
}

function Script({ name, values }: { readonly name: string; readonly values: Values }) {
  const refuse = `${name}.refuse`;
  return (
    <>
      <Value name={`${name}.cloidPrefix`} label="Cloid begins with" values={values} text="0xdead" />
      <label class="field">
        Refused, because
        <select name={refuse}>
          <option value="">it is not refused</option>
          {Object.entries(REFUSALS).map(([reason, words]) => (
            <option key={reason} value={reason} selected={reason === values.get(refuse)}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <Value name={`${name}.fillPercent`} label="Fills at once, % at most" values={values} />
      <Value name={`${name}.fillAfterMs`} label="Fills after, ms" values={values} />
      <Box name={`${name}.neverFill`} label="Never fills" values={values} />
      <Box name={`${name}.loseAnswer`} label="Its answer is lost" values={values} />
    </>
  );
}

/** Parts of which there may be several. The other parts keep their names when a part is taken out. */
function Rows({
  legend,
  add,
  count,
  children,
}: {
  readonly legend: string;
  readonly add: string;
  readonly count: number;
  readonly children: (at: number) => ComponentChildren;
}) {
  const [rows, setRows] = useState(() => Array.from({ length: count }, (_, at) => at));
  return (
    <fieldset class="plain rows">
      <legend>{legend}</legend>
      {rows.map((at, i) => (
        <Part key={at} legend={`${i + 1}.`}>
          {children(at)}
          <button type="button" class="small" onClick={() => setRows(rows.filter((other) => other !== at))}>
            Take out
          </button>
        </Part>
      ))}
      <button type="button" onClick={() => setRows([...rows, Math.max(-1, ...rows) + 1])}>
        {add}
      </button>
    </fieldset>
  );
}

function Part({ legend, children }: { readonly legend: string; readonly children: ComponentChildren }) {
  return (
    <fieldset class="plain part">
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}

interface ValueProps {
  readonly name: string;
  readonly label: string;
  readonly values: Values;
}

/** A number, or a text where an example of one is given. */
function Value({ name, label, values, text }: ValueProps & { readonly text?: string }) {
  return (
    <label class="field">
      {label}
      <input
        name={name}
        inputMode={text === undefined ? 'decimal' : 'text'}
        autocomplete="off"
        defaultValue={values.get(name) ?? ''}
        {...(text !== undefined && { placeholder: text, required: true })}
      />
    </label>
  );
}

function Box({ name, label, values }: ValueProps) {
  return (
    <label class="choice">
      <input type="checkbox" name={name} defaultChecked={values.has(name)} /> {label}
    </label>
  );
}
