// The examples of frameworks that take minutes to install or to build, against the running service: bin/test clients-all.
import { type SharedStack, sharedStack } from '../../compat/sharedStack.ts';
import { Example } from '../example.ts';
import { tradeWith } from '../tradeWith.ts';
import { LONG } from './long.ts';
import { newerPython } from './newerPython.ts';

describe('examples of clients that take long', function () {
  this.timeout(3_600_000);
  let shared: SharedStack;

  before(async () => {
    shared = await sharedStack();
  });

  for (const [name, { prints, python }] of Object.entries(LONG)) {
    it(`${name} places, shows, cancels, fills and listens`, async () => {
      const example = python === undefined ? new Example(name) : new Example(name, newerPython(python));
      await tradeWith(example, shared, prints);
    });
  }
});
