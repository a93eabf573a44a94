export type { CategoryLine, CollectionLine, Line, PictureLine, ProductLine } from './line.ts';
export type { Result } from './places.ts';
export { takeLine } from './take.ts';
