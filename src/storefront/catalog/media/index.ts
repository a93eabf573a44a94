export { usesOf, useWords } from './uses.ts';
