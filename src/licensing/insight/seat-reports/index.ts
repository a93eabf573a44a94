export type { SeatDenials, SeatUse } from './queries.ts';
export { seatDenials, seatUse } from './seat-reports.ts';
