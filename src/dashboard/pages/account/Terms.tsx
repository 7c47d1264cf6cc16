// The terms of the chosen account: the cost of its fills, and the rule by which its resting orders fill.
import { useState } from 'preact/hooks';
import type { AccountTerms } from '../../api/contract.ts';
import { request } from '../../api/http.ts';
import { TermsNote } from '../../parts/account/TermsNote.tsx';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { Form } from '../../parts/Form.tsx';
import { accountPath } from '../../state/chosenAccount.ts';
import { chosenFees, FEES, FILL_MODELS, termsBody } from './formBodies.ts';

export function Terms() {
  const asked = useAnswer<AccountTerms>(accountPath('terms'));
  return (
    <Shown asked={asked} lines={4}>
      {(terms) => (
        <>
          <TermsNote terms={terms} />
          <Settings key={JSON.stringify(terms)} terms={terms} onChanged={asked.askAgain} />
        </>
      )}
    </Shown>
  );
}

function Settings({ terms, onChanged }: { readonly terms: AccountTerms; readonly onChanged: () => void }) {
  const chosen = chosenFees(terms);
  const [fees, setFees] = useState(chosen);
  const { maker, taker } = terms.fees;
  const set = async (data: FormData): Promise<void> => {
    await request('PUT', accountPath('terms'), { body: termsBody(data) });
    onChanged();
  };
  return (
    <Form act="Set the terms" onSubmit={set}>
      <p class="quiet">Fees hold from the next fill on. Both stay after a reset. Every return is shown beside them.</p>
      <label class="field">
        <span>Fees</span>
        <select name="fees" onChange={(event) => setFees(event.currentTarget.value)}>
          {FEES.map(([value, words]) => (
            <option key={value} value={value} selected={value === chosen}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {fees === 'own' &&
        (
          [
            ['maker', maker],
            ['taker', taker],
          ] as const
        ).map(([name, rate]) => (
          <label class="field" key={name}>
            <span>Rate as {name}, a share of the notional; −0.001 to 0.01</span>
            <input name={name} autocomplete="off" defaultValue={rate} />
          </label>
        ))}
      {fees.startsWith('tier') && (
        <label class="field">
          <span>Rebate of the venue in place of the maker rate</span>
          <select name="rebate">
            {['none', '1', '2', '3'].map((value) => (
              <option key={value} value={value} selected={value === String(terms.fees.rebate ?? 'none')}>
                {value}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="field">
        <span>Fill model, of orders that come to rest from now on</span>
        <select name="fill_model">
          {FILL_MODELS.map(([value, words]) => (
            <option key={value} value={value} selected={value === terms.fill_model}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </Form>
  );
}
