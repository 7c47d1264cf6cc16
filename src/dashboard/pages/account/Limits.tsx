// The limits of the chosen account (house rules): their values, the account's distance from each, and the broken ones.
import { useState } from 'preact/hooks';
import type { BrokenRule, HouseRules as Rules } from '../../api/contract.ts';
import { request } from '../../api/http.ts';
import { usd } from '../../domain/texts.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Form } from '../../parts/Form.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { accountPath } from '../../state/chosenAccount.ts';
import { limitsBody, RULES, valuesOf } from './formBodies.ts';

/** How often the account is looked at, ms. */
const LOOK_MS = 15_000;

const ACTS = [
  ['warn', 'tell it here'],
  ['refuse', 'and open nothing more'],
  ['close', 'and close'],
] as const;

const BROKEN: readonly Column<BrokenRule>[] = [
  { head: 'Rule', cell: ({ rule, coin }) => `${RULES[rule].name}${coin === null ? '' : `: ${coin}`}` },
  { head: 'Found', cell: ({ rule, found }) => (found === null ? '–' : `${found}${rule === 'drawdown' ? ' %' : ' USD'}`) },
  { head: 'Since', cell: ({ time }) => <Moment at={time} /> },
];

export function Limits() {
  const asked = useAnswer<Rules>(accountPath('rules'), { everyMs: LOOK_MS });
  return (
    <Shown asked={asked} lines={6}>
      {(rules) => (
        <>
          <Facts
            facts={[
              rules.lost_usd !== null && { term: 'Lost since 00:00 UTC', value: `${usd(rules.lost_usd)} USD` },
              rules.drawdown_percent !== null && { term: 'Below its peak', value: `${rules.drawdown_percent} %` },
            ]}
          />
          {rules.broken.length > 0 && (
            <DataTable
              caption="Broken rules, oldest first"
              columns={BROKEN}
              rows={rules.broken}
              keyOf={({ rule, coin }) => `${rule} ${coin}`}
              empty={null}
            />
          )}
          <Settings rules={rules} onChanged={asked.askAgain} />
        </>
      )}
    </Shown>
  );
}

/** The form stays as it is typed while the account is looked at. */
function Settings({ rules, onChanged }: { readonly rules: Rules; readonly onChanged: () => void }) {
  const [isSaved, setIsSaved] = useState(false);
  const values = valuesOf(rules);
  const set = async (data: FormData): Promise<void> => {
    await request('PUT', accountPath('rules'), { body: limitsBody(data) });
    setIsSaved(true);
    onChanged();
  };
  return (
    <div onInput={() => setIsSaved(false)}>
      <Form act="Set the rules" onSubmit={set}>
        <div key={JSON.stringify([...values])}>
          {Object.entries(RULES).map(([rule, { name, about, fields, acts }]) => (
            <fieldset key={rule}>
              <legend>{name}</legend>
              <p class="quiet">{about}</p>
              {fields.map(({ field, label }) => (
                <label class="field" key={field}>
                  <span>{label}</span>
                  <input name={`${rule}.${field}`} autocomplete="off" defaultValue={values.get(`${rule}.${field}`) ?? ''} />
                </label>
              ))}
              <label class="field">
                <span>When it is broken</span>
                <select name={`${rule}.act`}>
                  {ACTS.map(([act, words]) => (
                    <option key={act} value={act} selected={act === (values.get(`${rule}.act`) ?? 'refuse')}>
                      {words} {act === 'close' && acts}
                    </option>
                  ))}
                </select>
              </label>
            </fieldset>
          ))}
        </div>
        {isSaved && <p role="status">They hold now.</p>}
      </Form>
    </div>
  );
}
