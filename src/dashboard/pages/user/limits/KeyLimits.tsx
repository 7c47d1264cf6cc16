// The limits of an API key, as they stand in the list of keys, and as fields of a form.
import { Field } from '../../../parts/Form.tsx';
import { Moment } from '../../../parts/numbers.tsx';
import { type Limited, limitFields, limitWords, TRADE_LIMITS } from './keyLimits.ts';

export function KeyMay({ limited }: { readonly limited: Limited }) {
  const { scopes, expires_at: end } = limited;
  return (
    <>
      {scopes.join(', ')}
      {limitWords(limited).map((words) => (
        <div key={words} class="quiet">
          {words}
        </div>
      ))}
      {end !== null && (
        <div class="quiet">
          until <Moment at={end} />
        </div>
      )}
    </>
  );
}

const SCOPES: readonly (readonly [scopes: string, words: string])[] = [
  ['read,trade', 'look and trade'],
  ['read', 'look alone'],
];

const NO_LIMITS: Limited = { scopes: ['read', 'trade'], expires_at: null, addresses: null, trade_limits: null };

/** @param props.limited what the fields begin with; absent = no limits */
export function KeyLimitFields({ limited = NO_LIMITS }: { readonly limited?: Limited }) {
  const values = limitFields(limited);
  const scopes = values.get('scopes') ?? '';
  const field = (name: string, label: string) => (
    <Field key={name} name={name} label={label} autocomplete="off" isOptional value={values.get(name) ?? ''} />
  );
  return (
    <>
      <label class="field">
        It may
        <select name="scopes">
          {SCOPES.map(([value, words]) => (
            <option key={value} value={value} selected={value === scopes}>
              {words}
            </option>
          ))}
          {SCOPES.every(([value]) => value !== scopes) && (
            <option value={scopes} selected>
              {scopes}
            </option>
          )}
        </select>
      </label>
      {field('expires_at', 'Good until, as 2027-01-31T12:00:00Z')}
      {field('addresses', 'From these addresses or networks alone, with commas')}
      <fieldset class="plain">
        <legend>Of a key that reaches one account</legend>
        {Object.entries(TRADE_LIMITS).map(([name, { label }]) => field(name, label))}
      </fieldset>
      <p class="quiet">What is empty is no limit.</p>
    </>
  );
}
