export { allTopics, type Section, sections, type Topic } from './contents.ts';
export { type Found, filesOf, pageBlocks, pictureOf, readPage, readPageFile, searchPages } from './manual.ts';
