// Where the link of a password mail leads: a new password, once. Every session ends by it.
import { useState } from 'preact/hooks';
import { post } from '../../api/http.ts';
import { Entrance } from '../../parts/Entrance.tsx';
import { Field, Form } from '../../parts/Form.tsx';
import { takeLinkToken } from './linkToken.ts';

export function ResetPassword() {
  const [token] = useState(takeLinkToken);
  const [told, setTold] = useState<string>();
  const reset = async (data: FormData): Promise<void> => {
    const wish = { token, new_password: String(data.get('password')), revoke_keys: data.has('keys') };
    setTold((await post<{ message: string }>('/v1/auth/reset-password', wish)).body.message);
  };
  return (
    <Entrance title="Set a new password">
      {token === undefined && (
        <p class="error" role="alert">
          The token of the link is missing. Open the link of the mail as it is, or{' '}
          <a href="/forgot-password">ask for a new mail</a>.
        </p>
      )}
      {token !== undefined && told === undefined && (
        <Form act="Set it" onSubmit={reset}>
          <Field name="password" label="New password, 8 to 128 characters" type="password" autocomplete="new-password" />
          <label class="choice">
            <input name="keys" type="checkbox" /> Revoke all API keys, too
          </label>
        </Form>
      )}
      {told !== undefined && (
        <p class="note" role="status">
          {told}
        </p>
      )}
      <p>
        <a href="/login">To the login</a>
      </p>
    </Entrance>
  );
}
