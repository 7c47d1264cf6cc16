// A new account. Then straight on to the bot: nothing stands between the two.

import { beginSession } from '../../api/browserSession.ts';
import { post } from '../../api/http.ts';
import { Entrance } from '../../parts/Entrance.tsx';
import { Field, Form } from '../../parts/Form.tsx';
import { navigate } from '../../state/route.ts';

export function Register() {
  const register = async (data: FormData): Promise<void> => {
    const credentials = { email: String(data.get('email')), password: String(data.get('password')) };
    await post('/v1/auth/register', credentials);
    await beginSession(credentials);
    navigate('/connect', { replaces: true });
  };
  return (
    <Entrance title="Make an account">
      <p>A trial with virtual money. Nothing is paid and no card is asked for.</p>
      <Form act="Make the account" onSubmit={register}>
        <Field name="email" label="E-mail" type="email" autocomplete="username" />
        <Field name="password" label="Password" type="password" autocomplete="new-password" />
      </Form>
      <p>
        <a href="/login">Log in</a> with an account that you have.
      </p>
    </Entrance>
  );
}
