import { capability } from '#kernel/capability.ts';
import { helpPages } from './pages.ts';

export { allTopics, type Section, sections, type Topic } from './contents.ts';
export { type Found, pageBlocks, readPage, searchPages } from './manual.ts';

/** The manual, which ships with the program. */
export const help = capability({ name: 'help', pages: helpPages });
