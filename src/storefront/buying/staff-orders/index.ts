export { newLine } from './lines.ts';
export { type Draftable, plain as plainAddress, priced } from './priced.ts';
export { writePlaced } from './staff-orders.ts';
