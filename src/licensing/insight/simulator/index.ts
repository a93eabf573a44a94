export { impact } from './impact.ts';
export { ACTIONS, type SimulationInput } from './schemas.ts';
export { type Simulated, simulate } from './simulate.ts';
export type { Impact } from './view.ts';
