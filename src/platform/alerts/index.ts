export { type Tried, tryAll } from './alerts.ts';
export { type Concern, type Condition, lookOutBy } from './conditions.ts';
export { alertHandler } from './handler.ts';
export type { Alert } from './record.ts';
export { listOpen } from './repository.ts';
