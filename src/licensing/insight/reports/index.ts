export { denials } from './denials.ts';
export { seatUse } from './seats.ts';
export type { Denials, SeatUse } from './view.ts';
