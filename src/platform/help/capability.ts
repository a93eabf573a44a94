import { capability } from '#kernel/capability.ts';
import { helpPages } from './pages.ts';

/** The manual, which ships with the program. */
export const help = capability({ name: 'help', pages: helpPages });
