import * as digital from './digital.ts';
import * as kitchen from './kitchen.ts';
import * as living from './living.ts';
import * as office from './office.ts';
import * as outdoor from './outdoor.ts';

/** Every drawing by its name. */
export const shapes = { ...digital, ...kitchen, ...living, ...office, ...outdoor };
export type Shape = keyof typeof shapes;

/** Things that are seen from above. */
export const FLAT: readonly Shape[] = [
  'board',
  'chart',
  'clock',
  'giftCard',
  'gloves',
  'icons',
  'keyboard',
  'knife',
  'mat',
  'notebook',
  'pan',
  'pens',
  'photos',
  'poles',
];
