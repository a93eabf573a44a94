export { denials } from './denials.ts';
export { renewedPercentOfMonth } from './reports.ts';
export { seatUse } from './seats.ts';
export type { Denials, SeatUse } from './view.ts';
