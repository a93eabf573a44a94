/** What records of others name a picture by: commands load it without what uploads and renders. */
export { newMediaId } from './record.ts';
