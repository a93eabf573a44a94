export { allTopics, type Section, sections, type Topic } from './contents.ts';
export { type Found, pageBlocks, readPage, searchPages } from './manual.ts';
