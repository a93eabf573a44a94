export { type Found, inspectPicture, MOST_PIXELS } from './formats.ts';
export { renderPicture } from './renderer.ts';
export { NotAPicture } from './structure.ts';
export { type Rendered, VARIANT_NAMES, type VariantName } from './types.ts';

/** What the process that renders runs: it ends with whoever started it. */
export const servePictures = async (): Promise<void> => (await import('./serve.ts')).serveOrders();
