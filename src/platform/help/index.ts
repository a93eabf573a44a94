export { allTopics, type Section, sections, type Topic } from './contents.ts';
export { type Found, filesOf, pageBlocks, readPage, readPageFile, searchPages } from './manual.ts';
