// Where the link of a verification mail leads. The address is verified when the button is pressed, not when the page is opened:
// programs that look into the links of mails must not do it.
import { useState } from 'preact/hooks';
import { post } from '../../api/http.ts';
import { Entrance } from '../../parts/Entrance.tsx';
import { Form } from '../../parts/Form.tsx';
import { takeLinkToken } from './linkToken.ts';

export function VerifyEmail() {
  const [token] = useState(takeLinkToken);
  const [told, setTold] = useState<string>();
  const verify = async (): Promise<void> => {
    setTold((await post<{ message: string }>('/v1/auth/verify-email', { token })).body.message);
  };
  return (
    <Entrance title="Verify your e-mail address">
      {token === undefined && (
        <p class="error" role="alert">
          The token of the link is missing. Open the link of the mail as it is, or ask for a new mail on{' '}
          <a href="/account">your account’s page</a>.
        </p>
      )}
      {token !== undefined && told === undefined && (
        <Form act="It is my account" onSubmit={verify}>
          <p>Confirm only if you have registered an account with this address.</p>
        </Form>
      )}
      {told !== undefined && (
        <p class="note" role="status">
          {told}
        </p>
      )}
      <p>
        <a href="/overview">To the account</a>
      </p>
    </Entrance>
  );
}
