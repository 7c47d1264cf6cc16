// The process of one of the worst callers. The process begins with its task, and reports its answers when it has to stop.
import { constants, setPriority } from 'node:os';
import type { CallerTask } from './callerTask.ts';
import { RudeCaller } from './rudeCallers.ts';

setPriority(constants.priority.PRIORITY_LOW);
let caller: RudeCaller | undefined;
process.on('message', (message: CallerTask | 'stop') => {
  if (message !== 'stop') {
    caller = new RudeCaller(message);
    caller.begin();
    process.send?.('begun');
    return;
  }
  caller?.stop();
  process.send?.(caller?.answers ?? {});
});
