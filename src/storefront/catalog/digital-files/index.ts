export { listFiles } from './digital-files.ts';
export type { DigitalFile } from './record.ts';
