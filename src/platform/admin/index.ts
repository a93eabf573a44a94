export { adminResource } from './admin-resource.ts';
export {
  type Command,
  type CommandAsked,
  command,
  fromStdin,
  jsonPairs,
  pairs,
  unless,
  yesOrNo,
} from './command.ts';
export {
  ANY_STAFF,
  Deleted,
  IdParams,
  listQuery,
  NoBody,
  NoteBody,
  noteField,
  noting,
  queryFlag,
  severalOf,
} from './fields.ts';
export { type AskedOf, type Operations, operationsOf, perform, type View } from './operations.ts';
export {
  type Action,
  action,
  answering,
  changing,
  type Edition,
  type Form,
  type How,
  type Level,
  making,
  type Removal,
  type Resource,
  type ResourceSpec,
  type Showing,
  screen,
  storeScreen,
  type Twin,
} from './resource.ts';
export type {
  CellKind,
  ChartsOf,
  Column,
  FieldHint,
  Matrix,
  MatrixChoice,
  Pairs,
  PanelArea,
  Screen,
  Section,
  Tab,
  Tone,
  Written,
} from './screen.ts';
export { searching } from './search.ts';
export { declaredNames, storeFields, storeNames } from './store/spelling.ts';
export { namesIn, paramsOf, specOn } from './twin/frame.ts';
export { upserting } from './upsert.ts';
export { type Beside, beside } from './view.ts';
export { requireWholeInstallation, seesWholeInstallation } from './whole-installation.ts';
