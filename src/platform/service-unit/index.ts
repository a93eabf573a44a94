export { environmentFileOf, stateFolder, unitFolder } from './installed.ts';
export {
  MARK,
  redirectName,
  redirectUnit,
  serviceUnit,
  socketUnit,
  streamOf,
  type UnitFacts,
  unitWords,
  writableOf,
} from './unit.ts';
