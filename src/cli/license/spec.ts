import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { changeCommands } from './spec-change.ts';
import { mintCommand } from './spec-mint.ts';
import { readCommands } from './spec-read.ts';

export const licenseGroup: GroupSpec = { path: 'license', summary: 'licenses: mint, find, change, validate' };
export const machinesGroup: GroupSpec = {
  path: 'license machines',
  summary: 'machines that a license is active on',
};

export const licenseCommands: readonly CommandSpec[] = [mintCommand, ...readCommands, ...changeCommands];
