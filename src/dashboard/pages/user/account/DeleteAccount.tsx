// Deletes the user with all that is theirs.
import { useState } from 'preact/hooks';
import { forgetSession } from '../../../api/browserSession.ts';
import { remove } from '../../../api/http.ts';
import { Dialog } from '../../../parts/Dialog.tsx';
import { Field } from '../../../parts/Form.tsx';
import { navigate } from '../../../state/route.ts';

export function DeleteAccount({ hasFactor }: { readonly hasFactor: boolean }) {
  const [isAsked, setIsAsked] = useState(false);
  const deleteIt = async (data: FormData): Promise<void> => {
    const code = String(data.get('code') ?? '').replace(/\s/g, '');
    await remove('/v1/auth/account', { body: { password: String(data.get('password')), ...(code && { code }) } });
    forgetSession();
    navigate('/', { replaces: true });
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsAsked(true)}>
        Delete the account
      </button>
      {isAsked && (
        <Dialog title="Delete the account?" act="Delete it" isDangerous onAct={deleteIt} onClose={() => setIsAsked(false)}>
          <p>
            Your login, all API keys, all positions, orders and history are deleted. What is paid for is lost. The e-mail address
            may register again, without a trial. This cannot be undone.
          </p>
          <Field name="password" label="Password" type="password" autocomplete="current-password" />
          {hasFactor && (
            <Field name="code" label="Code of your app, or a recovery code" autocomplete="one-time-code" isOptional />
          )}
        </Dialog>
      )}
    </>
  );
}
