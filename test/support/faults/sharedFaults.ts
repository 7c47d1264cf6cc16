// One exchange for all scenarios that leave it unchanged. It ends when the last of them has run.
import { FaultStack } from './faultStack.ts';

let starting: Promise<FaultStack> | undefined;

export const sharedFaults = (): Promise<FaultStack> => {
  starting ??= FaultStack.start();
  return starting;
};

after(async () => (await starting)?.stop());
