// The keys of the page; the dialog that lists them comes when it is first wanted. Off in fields, in dialogs, and with Ctrl, Alt or Meta.
import { useEffect, useState } from 'preact/hooks';
import { accessToken } from '../../api/browserSession.ts';
import { meaningOf } from '../../domain/shortcuts.ts';
import { navigate } from '../../state/route.ts';
import { laterPage } from '../laterPage.tsx';

const KeysHelp = laterPage(() => import('./KeysHelp.tsx'), null);

export function Shortcuts() {
  const [isHelpShown, setIsHelpShown] = useState(false);
  useEffect(() => {
    let before: number | undefined;
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isTyping = (target as Element | null)?.closest('input, select, textarea, dialog, [contenteditable]') != null;
      if (ctrlKey || metaKey || altKey || isTyping || accessToken.value === undefined) return;
      const meaning = meaningOf(key, { before, nowMs: performance.now() });
      before = meaning?.type === 'wait' ? performance.now() : undefined;
      if (meaning?.type === 'go') navigate(meaning.to);
      if (meaning?.type === 'help') setIsHelpShown(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return isHelpShown ? <KeysHelp onClose={() => setIsHelpShown(false)} /> : null;
}
