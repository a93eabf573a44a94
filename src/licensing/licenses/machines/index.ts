export { activate } from './activate.ts';
export { clear } from './clear.ts';
export { deactivate, machinesOf, type OwnMachine, releaseMachine, remove } from './deactivate.ts';
