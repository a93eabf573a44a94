import * as roles from '../admin-role/spec.ts';
import * as tokens from '../admin-token/spec.ts';
import * as users from './spec.ts';

/** Everything that begins with `admin`: people first, then what they may do, then the tokens of programs. */
export const groups = [
  ...tokens.groups.slice(0, 1),
  ...users.groups,
  ...roles.groups,
  ...tokens.groups.slice(1),
];
export const commands = [...users.commands, ...roles.commands, ...tokens.commands];
