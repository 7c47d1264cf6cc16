// A batch as a process of its own: `node --import tsx test/proof/batchProcess.ts <seed> <lives>` prints its result as JSON.
import { liveBatch } from './batch.ts';

const [seed = 1, lives = 100] = process.argv.slice(2).map(Number);
console.log(JSON.stringify(liveBatch({ seed, lives })));
