// Parts of the pages that make a key: the new key, shown this one time, and the code of the second factor. The focus goes to
// Copy, because the key is gone with the page.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/answer.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Field } from '../../parts/Form.tsx';

export function KeyOnce({ apiKey }: { readonly apiKey: string }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector('button')?.focus(), [apiKey]);
  return (
    <div ref={frame} class="once" role="status">
      <p>Your key. It is shown this once:</p>
      <code>{apiKey}</code> <CopyButton text={apiKey} />
    </div>
  );
}

interface CodeAsked {
  /** Belongs into the form. */
  readonly field: ComponentChildren;
  /** Sends what the form says, with the code where it has one. @throws what `send` throws */
  readonly sent: <Result>(data: FormData, send: (code: { readonly code?: string }) => Promise<Result>) => Promise<Result>;
}

/**
 * The code of the second factor, for acts that ask for it when the session's own check is some minutes old. The field is there
 * once the API has asked for it: most users never see it.
 */
export function useCode(): CodeAsked {
  const [isAsked, setIsAsked] = useState(false);
  return {
    field: isAsked && <Field name="code" label="Code of your app, or a recovery code" autocomplete="one-time-code" />,
    async sent(data, send) {
      const code = String(data.get('code') ?? '').replace(/\s/g, '');
      try {
        return await send(code === '' ? {} : { code });
      } catch (failure) {
        if (failure instanceof ApiError && failure.code === 'second_factor_required') setIsAsked(true);
        throw failure;
      }
    },
  };
}
