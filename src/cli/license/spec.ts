import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { changeCommands } from './spec-change.ts';
import { editCommands } from './spec-edit.ts';
import { explainCommands } from './spec-explain.ts';
import { mintBulkCommand, mintCommand } from './spec-mint.ts';
import { readCommands } from './spec-read.ts';
import { tokenCommands } from './spec-token.ts';
import { trashCommands } from './spec-trash.ts';
import { usageCommands } from './spec-usage.ts';

const licenseGroup: GroupSpec = { path: 'license', summary: 'mint, find, change and validate licenses' };
const machinesGroup: GroupSpec = {
  path: 'license machines',
  summary: 'machines that a license is active on',
};

import { usageGroup } from './spec-usage.ts';

export const groups: readonly GroupSpec[] = [licenseGroup, machinesGroup, usageGroup];

export const commands: readonly CommandSpec[] = [
  mintCommand,
  mintBulkCommand,
  ...readCommands,
  ...changeCommands,
  ...editCommands,
  ...trashCommands,
  ...usageCommands,
  ...tokenCommands,
  ...explainCommands,
];
