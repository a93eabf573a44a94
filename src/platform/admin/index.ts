export { Deleted, IdParams, listQuery, NoBody, NoteBody, noteField, queryFlag } from './fields.ts';
export { adminSurface } from './surface.ts';
