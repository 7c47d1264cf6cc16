// Where V8 puts what the code makes. A line whose lists and objects once lived long (accounts were loaded, a large action was
// decided) is taken to make such things for ever, and V8 then puts them into old memory at once. What a list of a moment holds
// stays with it until all of old memory is gone through, and is copied there: a scavenge copied twice as much as was in use.
import { setFlagsFromString } from 'node:v8';

/** All that is made is young first. To be called first of all: it changes nothing about code that is compiled already. */
export function makeYoungFirst(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
