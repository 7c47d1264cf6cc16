// Asks for a mail with a link to set a new password. The answer is the same whether the address has an account or not.
import { useState } from 'preact/hooks';
import { post } from '../../api/http.ts';
import { Entrance } from '../../parts/Entrance.tsx';
import { Field, Form } from '../../parts/Form.tsx';

export function ForgotPassword() {
  const [told, setTold] = useState<string>();
  const ask = async (data: FormData): Promise<void> => {
    const { body } = await post<{ message: string }>('/v1/auth/forgot-password', { email: String(data.get('email')) });
    setTold(body.message);
  };
  return (
    <Entrance title="Set a new password">
      {told === undefined ? (
        <Form act="Send me a link" onSubmit={ask}>
          <Field name="email" label="E-mail" type="email" autocomplete="username" />
        </Form>
      ) : (
        <p class="note" role="status">
          {told}
        </p>
      )}
      <p>
        <a href="/login">Back to the login</a>
      </p>
    </Entrance>
  );
}
