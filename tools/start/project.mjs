// The path of this checkout.
import { fileURLToPath } from 'node:url';

export const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
