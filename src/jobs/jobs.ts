// The jobs that the role runs. A new one is a file of its own and a line here (docs/recipes.md).
import { funding } from './funding.ts';
import type { RepeatableJob } from './job.ts';
import { keyUsage } from './keyUsage.ts';

export const jobs: readonly RepeatableJob[] = [keyUsage, funding];
