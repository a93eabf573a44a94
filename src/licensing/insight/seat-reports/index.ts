export { seatDenials, seatUse } from './seat-reports.ts';
export type { SeatDenials, SeatUse } from './view.ts';
