import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { changeCommands } from './spec-change.ts';
import { draftCommands } from './spec-draft.ts';
import { feedCommands } from './spec-feed.ts';
import { readCommands } from './spec-read.ts';
import { shipCommands } from './spec-ship.ts';
import { signCommands } from './spec-sign.ts';

const releaseGroup: GroupSpec = {
  path: 'release',
  summary: 'sign, ship and manage releases',
};

export const groups: readonly GroupSpec[] = [releaseGroup];

export const commands: readonly CommandSpec[] = [
  ...signCommands,
  ...shipCommands,
  ...draftCommands,
  ...readCommands,
  ...changeCommands,
  ...feedCommands,
];
