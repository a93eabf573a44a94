export { ACTIONS, type SimulationInput } from './schemas.ts';
export { type Simulated, simulate } from './simulate.ts';
