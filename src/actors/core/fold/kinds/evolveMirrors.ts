// What an account knows of its what-ifs, and a what-if of its source, after an event.
import { assert } from '../../../../shared/domain/assert.ts';
import type { Account } from '../../account/account.ts';
import { NO_MIRRORS, withChange, withMirror, withMirrored } from '../../account/group/mirrors.ts';
import type { AccountEvent } from '../../messages/event.ts';

type MirrorEvent = Extract<
  AccountEvent,
  { type: 'mirrorAdded' | 'commandMirrored' | 'mirrorSettled' | 'mirrorEnded' | 'mirrorReceived' }
>;
type WritableState = { -readonly [Field in keyof Pick<Account, 'mirrors' | 'fork'>]: Account[Field] };

export function evolveMirrors(state: WritableState, event: MirrorEvent): void {
  const { mirrors = NO_MIRRORS } = state;
  switch (event.type) {
    case 'mirrorAdded':
      state.mirrors = withMirror(mirrors, event.to);
      return;
    case 'commandMirrored':
      state.mirrors = withMirrored(mirrors, { number: event.number, command: event.command });
      return;
    case 'mirrorSettled':
      state.mirrors = withChange(mirrors, event.to, { through: event.through });
      return;
    case 'mirrorEnded':
      state.mirrors = withChange(mirrors, event.to, { ended: event.why });
      return;
    case 'mirrorReceived':
      assert(state.fork, `a command of ${event.of} came to an account that is no what-if`);
      state.fork = { ...state.fork, received: event.number };
  }
}
