export {
  confined,
  type Held,
  type HeldRow,
  heldOf,
  permissionsHeld,
  reachOf,
  words,
} from './held.ts';
export { heldColumns, permissionsColumn } from './queries.ts';
export { give } from './repository.ts';
