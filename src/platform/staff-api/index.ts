export { adminSurface } from './surface.ts';
