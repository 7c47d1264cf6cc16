// Sets a new password. All other sessions end by it; this one goes on.
import { useState } from 'preact/hooks';
import { take } from '../../../api/browserSession.ts';
import { post } from '../../../api/http.ts';
import { Field, Form } from '../../../parts/Form.tsx';

export function Password({ onChanged }: { readonly onChanged: () => void }) {
  const [changes, setChanges] = useState(0);
  const change = async (data: FormData): Promise<void> => {
    const [current, next] = [String(data.get('current')), String(data.get('next'))];
    const wish = { current_password: current, new_password: next };
    take((await post<{ access_token: string }>('/v1/auth/change-password', wish)).body);
    setChanges(changes + 1);
    onChanged();
  };
  return (
    <>
      {changes > 0 && (
        <p class="note" role="status">
          The new password holds. All other sessions have ended; API keys work on.
        </p>
      )}
      <Form key={changes} act="Change the password" onSubmit={change}>
        <Field name="current" label="Password now" type="password" autocomplete="current-password" />
        <Field name="next" label="New password, 8 to 128 characters" type="password" autocomplete="new-password" />
      </Form>
    </>
  );
}
