export { forgetPerson, stream } from './audit.ts';
export { csvFile } from './csv-file.ts';
export { type Export, noteExport, notingExport } from './exports.ts';
export { VIAS } from './record.ts';
export { type Anchor, verify } from './verify.ts';
