export { get as getExport, remove as removeExport, start as startExport } from './exports.ts';
export { get as getImport, start as startImport } from './imports.ts';
export { sweep } from './sweep.ts';
