export { change, create, get, remove } from './groups.ts';
export {
  type Buyer,
  buyerOf,
  type GroupOf,
  groupRows,
  groupsNamed,
  groupsOf,
  type NamedGroup,
} from './queries.ts';
export type { CustomerGroup } from './record.ts';
export { changeMembers, moveGroups, setGroupsOf, settleCustomer, settleGroups } from './settling.ts';
